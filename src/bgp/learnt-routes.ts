/** Learnt routes, from the daemon to the kernel, where the configuration wants them there. */

import type { InstalledRoute } from '../decide/advertisement/plan-routes.ts';
import { SpeakerError } from '../gobgp/speaker.ts';
import type { HeldAddress } from '../model/address.ts';
import type { LearntPath } from '../model/bgp-path.ts';
import type { Link } from '../model/link.ts';
import type { SpeakerState } from '../model/speaker.ts';
import type { PassFacts } from './bgp-pass.ts';
import type { BgpSetup } from './bgp-setup.ts';
import { RouteKeeper } from './route-keeper.ts';

type Setup = Pick<BgpSetup, 'speaker' | 'routes' | 'kernel' | 'clock' | 'log'>;

export interface LearntResult {
  readonly learnt: readonly LearntPath[];
  readonly installed: readonly InstalledRoute[];
}

const nothing: LearntResult = { learnt: [], installed: [] };
/** So long after its start the daemon may lack routes only because its sessions are coming up. */
const comingUpMs = 30_000;

export class LearntRoutes {
  readonly #setup: Setup;
  readonly #keeper: RouteKeeper;
  #startedAt = -Infinity;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#keeper = new RouteKeeper(setup);
  }

  /** The daemon was started anew: it knows no routes yet. */
  noteStart(): void {
    this.#startedAt = this.#setup.clock.monotonic();
  }

  async clear(): Promise<void> {
    await this.#keeper.clear();
  }

  /** A daemon that could not be read leaves the kernel as it is. */
  async keep(
    { choice, surroundings, links, addresses }: PassFacts,
    state: SpeakerState | SpeakerError,
  ): Promise<LearntResult> {
    if (state instanceof SpeakerError) return nothing;
    const { config } = choice;
    if (config === undefined || !config.netlinkExport.isEnabled) {
      // One that cannot be carried out changes nothing.
      if (choice.chosen === undefined || config !== undefined) await this.#keeper.clear();
      return nothing;
    }
    const learnt = await this.#read();
    if (learnt === undefined) return nothing;
    const facts = {
      export: config.netlinkExport,
      global: config.global,
      learnt,
      own: state.paths.map(({ prefix }) => prefix),
      protectedPrefixes: surroundings.protectedPrefixes,
      connected: connectedNetworks(links, addresses),
    };
    return { learnt, installed: await this.#keeper.keep(facts, this.#mayRemove(state)) };
  }

  async #read(): Promise<readonly LearntPath[] | undefined> {
    try {
      return await this.#setup.speaker.learnt();
    } catch (error) {
      if (error instanceof SpeakerError) return undefined;
      throw error;
    }
  }

  #mayRemove({ peers }: SpeakerState): boolean {
    const isYoung = this.#setup.clock.monotonic() - this.#startedAt < comingUpMs;
    const areUp = peers.every(({ state, isDown }) => state === 'Established' || isDown);
    return !isYoung || areUp;
  }
}

function connectedNetworks(links: readonly Link[], addresses: readonly HeldAddress[]) {
  const real = new Set(
    links
      .filter(({ isUp, isLoopback, isNoArp }) => isUp && !isLoopback && !isNoArp)
      .map(({ index }) => index),
  );
  return addresses
    .filter(({ linkIndex, isOurs }) => real.has(linkIndex) && !isOurs)
    .map(({ ip, prefixLength, linkIndex }) => ({
      prefix: { ip, length: prefixLength },
      linkIndex,
    }));
}
