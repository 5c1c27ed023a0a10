/** Keeps the link for remote addresses there, under the name that is configured. */

import type { KernelView } from '../decide/survey-links.ts';
import type { Kernel } from '../linux/kernel.ts';
import type { LocalConfig } from '../model/agent-config.ts';
import type { Log } from '../runtime/log.ts';

export class VirtualLinkKeeper {
  readonly #kernel: Kernel;
  readonly #log: Log;
  #name: string | undefined;
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

  /** The new one first: what is on the old one moves over in the same pass, or goes with it. */
  async #change(name: string): Promise<void> {
    const former = this.#name;
    const { how } = await this.#kernel.ensureVirtualLink(name);
    this.#name = name;
    this.#log.info('Virtual link is there', { link: name, how });
    if (former !== undefined && former !== name) await this.#kernel.removeVirtualLink(former);
  }
}
