/**
 * Keeps the addresses in the kernel alive while the agent cannot read the cluster: at its start, before any call to the
 * API server, and until its first sync. The agent asks the wire before every extension.
 */

import { type Adoption, findDue, planAdoption } from '../decide/announcement/adopt.ts';
import type { AdoptedVerdict } from '../decide/announcement/judge-adopted.ts';
import { type Settlement, settleContest } from '../decide/announcement/settle-contest.ts';
import type { Kernel } from '../linux/kernel.ts';
import { type HeldAddress, isHeldByUs } from '../model/address.ts';
import type { Ip } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { KeyRing } from './key-ring.ts';
import { findOwn } from './own-addresses.ts';
import { type KernelState, OwnershipProbe } from './ownership-probe.ts';
import type { PeerHints } from './peer-hints.ts';
import type { SignedClaims } from './signed-claims.ts';
import type { WireEar } from './wire-ear.ts';

export interface AdoptionSetup {
  readonly node: string;
  readonly kernel: Kernel;
  readonly ear: WireEar;
  readonly hints: Pick<PeerHints, 'attend'>;
  readonly claims: SignedClaims;
  readonly keys: KeyRing;
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
type Settlements = ReadonlyMap<Ip, Settlement>;

/** An agent that stood still for longer may have missed a takeover: it asks again. */
const freshMs = 1_000;

export class AddressAdoption {
  readonly #setup: AdoptionSetup;
  readonly #probe: OwnershipProbe;
  /** Addresses that another host announces and replies for, since when. */
  readonly #ownedSince = new Map<Ip, number>();
  /** Addresses that another host replies for, since when. */
  readonly #claimedSince = new Map<Ip, number>();
  readonly #told = new Map<Ip, string>();
  #resting: Adoption['resting'] = new Map();
  /** Addresses that another host claims without proof. They rest for a second at most. */
  #unproven: ReadonlySet<Ip> = new Set();

  constructor(setup: AdoptionSetup) {
    this.#setup = setup;
    this.#probe = new OwnershipProbe(setup);
  }

  /** Whether another host was found to reply for it: this node does not announce it then. */
  isContested(ip: Ip): boolean {
    return this.#resting.has(ip) || this.#claimedSince.has(ip);
  }

  async round({ graceSeconds, isStart }: AdoptionRound): Promise<Adopted> {
    const { kernel, clock } = this.#setup;
    const [links, held] = await Promise.all([kernel.links(), kernel.addresses()]);
    const state = { links, held };
    const startedAt = clock.monotonic();
    this.#attend(state);
    const facts = { held, resting: this.#resting, graceSeconds, isStart, now: startedAt };
    const asked = [...findDue(facts), ...this.#findContested(state, startedAt)];
    const verdicts = await this.#probe.ask(asked, state);
    const now = clock.monotonic();
    if (now - startedAt > freshMs) return { held, links, wakeAt: now };
    this.#noteClaims(verdicts, now);
    const settlements = this.#settle(verdicts, state, now);
    const yielded = findSettled(settlements, 'yield');
    const unproven = this.#findUnproven(settlements, now);
    this.#noteUnproven(settlements, unproven);
    const ownership = new Map([...verdicts].map(([ip, verdict]) => [ip, verdict.ownership]));
    const { changes, resting, wakeAt } = planAdoption(facts, { ownership, yielded, unproven });
    this.#resting = resting;
    const failures = await kernel.apply(changes.map(({ change }) => change));
    this.#tell(settlements, verdicts);
    const rearmed = changes.length - yielded.size;
    if (isStart) this.#tellStart(held, { rearmed, failures: failures.length });
    return { held: changes.length === 0 ? held : await kernel.addresses(), links, wakeAt };
  }

  /** Peers must be heard before the wire is asked: an owner that hears the probe answers by a signed packet. */
  #attend({ held, links }: KernelState): void {
    const { hints, claims } = this.#setup;
    hints.attend({ own: findOwn(held, links), members: undefined });
    const ours = new Set(held.filter(isHeldByUs).map(({ ip }) => ip));
    claims.attend(ours);
    for (const since of [this.#ownedSince, this.#claimedSince]) {
      for (const ip of since.keys()) if (!ours.has(ip)) since.delete(ip);
    }
    claims.ask(this.#claimedSince.keys());
  }

  /** Held here, and announced by another host since the last question, or contested and to be asked for again. */
  #findContested(state: KernelState, now: number): readonly HeldAddress[] {
    const claimed = this.#probe.findClaimed(state);
    return state.held.filter(isHeldByUs).filter(({ ip }) => {
      const isDue = this.#claimedSince.has(ip) && (this.#resting.get(ip) ?? now) <= now;
      // A host that announces an address over and over does not make this agent probe more often.
      return isDue || (claimed.has(ip) && !this.#unproven.has(ip));
    });
  }

  #noteClaims(verdicts: Verdicts, now: number): void {
    for (const [ip, { ownership }] of verdicts) {
      const isOwned = ownership === 'owned';
      noteSince(this.#ownedSince, ip, isOwned ? now : undefined);
      if (ownership === 'unheard') continue;
      noteSince(this.#claimedSince, ip, isOwned || ownership === 'answered' ? now : undefined);
    }
  }

  /** Of addresses that were asked for, or that a peer claims by a signed packet. */
  #settle(verdicts: Verdicts, { links, held }: KernelState, now: number): Settlements {
    const { node: me, keys, claims } = this.#setup;
    const macs = new Map(links.map(({ index, mac }) => [index, mac]));
    const settled = held.filter(isHeldByUs).flatMap(({ ip, linkIndex }): [Ip, Settlement][] => {
      const ownMac = macs.get(linkIndex);
      const words = keys.names.length === 0 ? undefined : claims.wordsFor(ip);
      const verdict = verdicts.get(ip) ?? { ownership: 'free' };
      if (ownMac === undefined || (!verdicts.has(ip) && (words ?? []).length === 0)) return [];
      const ownedSince = this.#ownedSince.get(ip) ?? now;
      const claimedSince = this.#claimedSince.get(ip) ?? now;
      const contest = { me, ownMac, verdict, ownedSince, claimedSince, words, now };
      return [[ip, settleContest(contest)]];
    });
    return new Map(settled);
  }

  #findUnproven(settlements: Settlements, now: number): ReadonlyMap<Ip, number> {
    const kept = [...findSettled(settlements, 'keep')];
    return new Map(kept.map((ip) => [ip, this.#claimedSince.get(ip) ?? now]));
  }

  /** An address that was not asked for in this round is claimed as before. */
  #noteUnproven(settlements: Settlements, unproven: ReadonlyMap<Ip, number>): void {
    const before = [...this.#unproven.keys()].filter((ip) => !settlements.has(ip));
    this.#unproven = new Set([...before, ...unproven.keys()]);
  }

  #tell(settlements: Settlements, verdicts: Verdicts): void {
    const { log } = this.#setup;
    for (const [ip, settlement] of settlements) {
      const { ownership, mac } = verdicts.get(ip) ?? {};
      const news = `${settlement} ${ownership}`;
      if (this.#told.get(ip) === news) continue;
      this.#told.set(ip, news);
      if (settlement === 'yield') {
        log.warn('Address given up to its new owner', { op: 'yieldUnsynced', ip, mac });
      } else if (settlement === 'wait') {
        log.warn('Lifetime not extended', { op: 'extensionRefused', ip, mac, because: ownership });
      } else if (settlement === 'keep') {
        log.warn('Claim without a signature not believed', { op: 'claimUnsigned', ip, mac });
      }
    }
  }

  #tellStart(
    held: readonly HeldAddress[],
    counts: { readonly rearmed: number; readonly failures: number },
  ): void {
    const addresses = held.filter(({ isOurs }) => isOurs).length;
    if (addresses === 0) return;
    const refused = this.#resting.size;
    this.#setup.log.info('Adopted addresses', { addresses, refused, ...counts });
  }
}

/** Undefined: there is no claim now. */
function noteSince(since: Map<Ip, number>, ip: Ip, now: number | undefined): void {
  if (now === undefined) since.delete(ip);
  else if (!since.has(ip)) since.set(ip, now);
}

function findSettled(settlements: Settlements, wanted: Settlement): ReadonlySet<Ip> {
  const found = [...settlements].filter(([, settlement]) => settlement === wanted);
  return new Set(found.map(([ip]) => ip));
}
