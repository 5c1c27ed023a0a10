/** Keeps the link for remote addresses there, under the name that is configured. */

import type { ConfigChoice, ConfigNotice } from '../decide/announcement/choose-agent-config.ts';
import type { KernelView } from '../decide/announcement/survey-links.ts';
import type { Kernel } from '../linux/kernel.ts';
import { createdLinkKinds } from '../linux/virtual-link-rules.ts';
import type { LocalConfig } from '../model/agent-config.ts';
import { keyOf } from '../model/identity.ts';
import type { Link } from '../model/link.ts';
import type { AgentOffer } from '../model/read-agent-offer.ts';
import type { Log } from '../runtime/log.ts';

export interface VirtualLinkSetup {
  readonly kernel: Kernel;
  readonly log: Log;
  readonly offers: () => readonly AgentOffer[];
}

export class VirtualLinkKeeper {
  readonly #setup: VirtualLinkSetup;
  #link: Link | undefined;
  readonly #former = new Set<string>();
  #refusal: { readonly link: string; readonly words: string } | undefined;

  constructor(setup: VirtualLinkSetup) {
    this.#setup = setup;
  }

  /** The one in use. */
  get name(): string {
    return this.#link?.name ?? 'kube-lb0';
  }

  /** Why nothing may be put on a link: it is not there, or it is someone else's. */
  refusal(link: string): string | undefined {
    return this.#refusal?.link === link ? this.#refusal.words : undefined;
  }

  /** What people who chose the name must know. */
  notices({ source }: ConfigChoice, node: string): readonly ConfigNotice[] {
    const words = this.#refusal?.words;
    if (words === undefined) return [];
    const message = `node ${node} announces no remote addresses: ${words}`;
    return this.#setup
      .offers()
      .filter((offer) => keyOf(offer) === source)
      .map(({ namespace, name, uid }) => {
        return { about: { namespace, name, uid }, reason: 'ConfigError', message };
      });
  }

  /** Without a configuration it stays as it is: addresses alone come and go. */
  async ensure(config: LocalConfig | undefined, view: KernelView): Promise<void> {
    const name = config?.dummyLink;
    if (name === undefined) return;
    const link = view.links?.find((each) => each.name === name);
    // Another number is another link, which someone put in its place.
    if (name === this.#link?.name && link?.index === this.#link.index && link.isUp) return;
    try {
      await this.#change(name, view);
      this.#refusal = undefined;
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (words !== this.#refusal?.words) {
        this.#setup.log.error('Virtual link could not be made', { link: name, error });
      }
      this.#refusal = { link: name, words };
    }
  }

  /**
   * To be called once the addresses are on the new link: whoever imports them sees no gap. One on which some are left,
   * as it is not known whether they are wanted, stays until they are gone.
   */
  async removeFormer(): Promise<void> {
    if (this.#former.size === 0) return;
    const { kernel, log } = this.#setup;
    const held = await kernel.addresses();
    for (const former of this.#former) {
      if (held.some(({ isOurs, link }) => isOurs && link === former)) continue;
      this.#former.delete(former);
      const outcome = await kernel.removeVirtualLink(former);
      log.info('Former virtual link was given up', { link: former, outcome });
    }
  }

  async #change(name: string, view: KernelView): Promise<void> {
    const { link, how } = await this.#setup.kernel.ensureVirtualLink(name);
    if (this.#link?.name !== name) {
      if (this.#link !== undefined) this.#former.add(this.#link.name);
      for (const each of findCarriers(view)) this.#former.add(each);
      this.#former.delete(name);
    }
    this.#link = link;
    this.#setup.log.info('Virtual link is there', { link: name, how });
  }
}

/** Links as `kube-lb0` is one that addresses of ours are on: the name was changed while no agent ran. */
function findCarriers({ links = [], addresses = [] }: KernelView): readonly string[] {
  const ours = new Set(addresses.filter(({ isOurs }) => isOurs).map(({ linkIndex }) => linkIndex));
  return links
    .filter(({ index, kind }) => ours.has(index) && createdLinkKinds.some((each) => each === kind))
    .map(({ name }) => name);
}
