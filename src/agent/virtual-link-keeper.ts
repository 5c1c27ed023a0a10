/** Keeps the link for remote addresses there, under the name that is configured. */

import type { KernelView } from '../decide/announcement/survey-links.ts';
import type { Kernel } from '../linux/kernel.ts';
import type { LocalConfig } from '../model/agent-config.ts';
import type { Log } from '../runtime/log.ts';

export class VirtualLinkKeeper {
  readonly #kernel: Kernel;
  readonly #log: Log;
  #name: string | undefined;
  #former: string | undefined;
  #failure = '';

  constructor({ kernel, log }: { readonly kernel: Kernel; readonly log: Log }) {
    this.#kernel = kernel;
    this.#log = log;
  }

  /** The one in use. */
  get name(): string {
    return this.#name ?? 'kube-lb0';
  }

  /** Without a configuration it stays as it is: addresses alone come and go. */
  async ensure(config: LocalConfig | undefined, { links }: KernelView): Promise<void> {
    const name = config?.dummyLink;
    if (name === undefined) return;
    const isThere = links?.some((link) => link.name === name && link.isUp) === true;
    if (isThere && this.#name === name) return;
    try {
      await this.#change(name);
      this.#failure = '';
    } catch (error) {
      if (this.#failure !== String(error)) {
        this.#log.error('Virtual link could not be made', { link: name, error });
      }
      this.#failure = String(error);
    }
  }

  /** To be called once the addresses are on the new link: whoever imports them sees no gap. */
  async removeFormer(): Promise<void> {
    const former = this.#former;
    if (former === undefined) return;
    this.#former = undefined;
    const outcome = await this.#kernel.removeVirtualLink(former);
    this.#log.info('Former virtual link was given up', { link: former, outcome });
  }

  async #change(name: string): Promise<void> {
    const { how } = await this.#kernel.ensureVirtualLink(name);
    if (this.#name !== name) this.#former = this.#name;
    this.#name = name;
    this.#log.info('Virtual link is there', { link: name, how });
  }
}
