/**
 * Keeps the addresses in the kernel alive while the agent cannot read the cluster: at its start, before any call to the
 * API server, and until its first sync. The agent asks the wire before every extension.
 */

import { type Adoption, findDue, planAdoption } from '../decide/announcement/adopt.ts';
import {
  type AdoptedVerdict,
  mustYield,
  type Ownership,
} from '../decide/announcement/judge-adopted.ts';
import type { Kernel } from '../linux/kernel.ts';
import { type HeldAddress, isHeldByUs } from '../model/address.ts';
import type { Ip } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { type KernelState, OwnershipProbe } from './ownership-probe.ts';
import type { WireEar } from './wire-ear.ts';

export interface AdoptionSetup {
  readonly kernel: Kernel;
  readonly ear: WireEar;
  readonly clock: Clock;
  readonly log: Log;
}

export interface AdoptionRound {
  readonly graceSeconds: number;
  /** The first round of the process. */
  readonly isStart: boolean;
}

export interface Adopted {
  readonly held: readonly HeldAddress[];
  readonly links: readonly Link[];
  /** When the next round is due, should the cluster still be unknown. */
  readonly wakeAt: number;
}

type Verdicts = ReadonlyMap<Ip, AdoptedVerdict>;

/** An agent that stood still for longer may have missed a takeover: it asks again. */
const freshMs = 1_000;

export class AddressAdoption {
  readonly #setup: AdoptionSetup;
  readonly #probe: OwnershipProbe;
  /** Addresses that another host announces, since when. */
  readonly #contestedSince = new Map<Ip, number>();
  readonly #told = new Map<Ip, Ownership>();
  #resting: Adoption['resting'] = new Map();

  constructor(setup: AdoptionSetup) {
    this.#setup = setup;
    this.#probe = new OwnershipProbe(setup);
  }

  /** Whether another host was found to reply for it: this node does not announce it then. */
  isContested(ip: Ip): boolean {
    return this.#resting.has(ip) || this.#contestedSince.has(ip);
  }

  async round({ graceSeconds, isStart }: AdoptionRound): Promise<Adopted> {
    const { kernel, clock } = this.#setup;
    const [links, held] = await Promise.all([kernel.links(), kernel.addresses()]);
    const state = { links, held };
    const startedAt = clock.monotonic();
    const facts = { held, resting: this.#resting, graceSeconds, isStart, now: startedAt };
    const asked = [...findDue(facts), ...this.#findContested(state, startedAt)];
    const verdicts = await this.#probe.ask(asked, state);
    const now = clock.monotonic();
    if (now - startedAt > freshMs) return { held, links, wakeAt: now };
    const yielded = this.#findYielded(verdicts, state, now);
    const ownership = new Map([...verdicts].map(([ip, verdict]) => [ip, verdict.ownership]));
    const { changes, resting, wakeAt } = planAdoption(facts, { ownership, yielded });
    this.#resting = resting;
    const failures = await kernel.apply(changes.map(({ change }) => change));
    this.#tell(verdicts, yielded);
    const rearmed = changes.length - yielded.size;
    if (isStart) this.#tellStart(held, { rearmed, failures: failures.length });
    return { held: changes.length === 0 ? held : await kernel.addresses(), links, wakeAt };
  }

  /** Held here, and announced by another host since the last question, or contested and to be asked for again. */
  #findContested(state: KernelState, now: number): readonly HeldAddress[] {
    const claimed = this.#probe.findClaimed(state);
    return state.held
      .filter(isHeldByUs)
      .filter(
        ({ ip }) =>
          claimed.has(ip) ||
          (this.#contestedSince.has(ip) && (this.#resting.get(ip) ?? now) <= now),
      );
  }

  #findYielded(verdicts: Verdicts, { links, held }: KernelState, now: number): ReadonlySet<Ip> {
    const macs = new Map(links.map(({ name, mac }) => [name, mac]));
    const own = new Map(held.filter(isHeldByUs).map(({ ip, link }) => [ip, macs.get(link)]));
    const yielded = [...verdicts].filter(([ip, { ownership, mac }]) => {
      const ownMac = own.get(ip);
      if (ownership !== 'owned' || mac === undefined || ownMac === undefined) {
        this.#contestedSince.delete(ip);
        return false;
      }
      const since = this.#contestedSince.get(ip) ?? now;
      this.#contestedSince.set(ip, since);
      return mustYield({ ownMac, mac, since, now });
    });
    return new Set(yielded.map(([ip]) => ip));
  }

  #tell(verdicts: Verdicts, yielded: ReadonlySet<Ip>): void {
    const { log } = this.#setup;
    for (const [ip, { ownership, mac }] of verdicts) {
      const isNews = this.#told.get(ip) !== ownership;
      this.#told.set(ip, ownership);
      if (yielded.has(ip)) {
        this.#contestedSince.delete(ip);
        log.warn('Address given up to its new owner', { op: 'yieldUnsynced', ip, mac });
      } else if (isNews && ownership !== 'free') {
        log.warn('Lifetime not extended', { op: 'extensionRefused', ip, mac, because: ownership });
      }
    }
  }

  #tellStart(
    held: readonly HeldAddress[],
    counts: { readonly rearmed: number; readonly failures: number },
  ): void {
    const addresses = held.filter(({ isOurs }) => isOurs).length;
    if (addresses === 0) return;
    const refused = [...this.#told.values()].filter((each) => each !== 'free').length;
    this.#setup.log.info('Adopted addresses', { addresses, refused, ...counts });
  }
}
