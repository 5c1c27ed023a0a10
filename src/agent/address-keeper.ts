/** Carries out what was planned for this node's addresses, and remembers what came of it. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import { type LifetimePromise, promisedUntil } from '../decide/announcement/lifetime-promise.ts';
import {
  type AddressPlan,
  isAsWanted,
  type PlannedChange,
} from '../decide/announcement/plan-addresses.ts';
import type { ChangeFailure, Kernel } from '../linux/kernel.ts';
import {
  type AddressChange,
  type AddressKey,
  addressKey,
  type HeldAddress,
  isHeldByUs,
  type WantedAddress,
} from '../model/address.ts';
import type { Ip } from '../model/ip.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { AgentMetrics } from './agent-metrics.ts';

export interface AddressKeeperSetup {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AgentMetrics;
  /** Why nothing may be put on a link; undefined: it may. */
  readonly refusal: (link: string) => string | undefined;
}

export class AddressKeeper {
  readonly #setup: AddressKeeperSetup;
  readonly #takenAt = new Map<string, number>();
  readonly #set = new Map<string, WantedAddress>();
  /** When the kernel drops what this process put there, in ms on the monotonic clock. */
  readonly #setUntil = new Map<string, number>();
  #endsAt = new Map<Ip, number>();
  #offers: AddressPlan['offers'] = new Map();
  #failures: ReadonlyMap<string, string> = new Map();
  /** Removed by a pass over some addresses, and not yet told by the kernel. */
  readonly #removed = new Set<string>();
  #adopted: ReadonlySet<string> = new Set();

  constructor(setup: AddressKeeperSetup) {
    this.#setup = setup;
  }

  /** What the kernel refused last time, by `addressKey`, in its words. */
  get failures(): ReadonlyMap<string, string> {
    return this.#failures;
  }

  /** What a predecessor left. */
  get adopted(): ReadonlySet<string> {
    return this.#adopted;
  }

  adopt(held: readonly HeldAddress[]): void {
    this.#adopted = new Set(held.filter(({ isOurs }) => isOurs).map(addressKey));
  }

  /** Addresses are to be extended once the Lease has promised it. */
  get isOffering(): boolean {
    return this.#offers.size > 0;
  }

  /** What the kernel has now. True: something lasts longer than it did and than the others know. */
  noteHeld(held: readonly HeldAddress[], promise?: LifetimePromise): boolean {
    const now = this.#setup.clock.monotonic();
    const ours = held.filter(isHeldByUs);
    const ends = ours.map((address): [Ip, number] => {
      // The kernel counts in whole seconds, and rounds up.
      const seen = now + (address.validSeconds - 1) * 1000;
      return [address.ip, this.#setUntil.get(addressKey(address)) ?? seen];
    });
    const before = this.#endsAt;
    this.#endsAt = new Map(ends);
    const known = (ip: Ip) =>
      Math.max(
        before.get(ip) ?? -Infinity,
        promise === undefined ? -Infinity : promisedUntil(ip, promise),
      );
    return ends.some(([ip, at]) => at > known(ip) + toleranceMs);
  }

  /** The same after a pass over some addresses, with what it changed; the virtual link has no lifetimes. */
  noteChanged(changes: readonly AddressChange[], virtualLink: string): boolean {
    const local = changes.filter(({ address }) => address.link !== virtualLink);
    let isLonger = false;
    for (const { kind, address } of local) {
      const until = this.#setUntil.get(addressKey(address));
      if (kind === 'remove' || until === undefined) this.#endsAt.delete(address.ip);
      else {
        const known = this.#endsAt.get(address.ip) ?? -Infinity;
        isLonger ||= until > known + toleranceMs;
        this.#endsAt.set(address.ip, until);
      }
    }
    return isLonger;
  }

  /** What stays behind, by another hand than `apply`. */
  noteLeft(held: readonly HeldAddress[]): void {
    this.#setUntil.clear();
    this.noteHeld(held);
  }

  /** In seconds from now on, for how long the Lease may say that the kernel keeps each address without an agent. */
  lifetimes(): ReadonlyMap<Ip, number> {
    const now = this.#setup.clock.monotonic();
    return new Map(
      [...this.#endsAt].map(([ip, endsAt]) => {
        return [ip, Math.max((endsAt - now) / 1000, this.#offers.get(ip) ?? 0)];
      }),
    );
  }

  /** When this process put it there, in ms on the monotonic clock; undefined: it found it there. */
  takenAt(key: string): number | undefined {
    return this.#takenAt.get(key);
  }

  /** Whether the kernel has it as this process last set it. */
  isAsSet(held: HeldAddress): boolean {
    const wanted = this.#set.get(addressKey(held));
    return wanted !== undefined && isAsWanted({ wanted, held });
  }

  /** Whether a pass over some addresses removed it; asked once, when the kernel tells of it. */
  isOwnRemoval(address: AddressKey): boolean {
    return this.#removed.delete(addressKey(address));
  }

  async apply(plan: AddressPlan, decisions: readonly AddressDecision[]): Promise<void> {
    this.#offers = plan.offers;
    const failed = await this.#applyChanges(plan, decisions);
    this.#failures = new Map([
      ...plan.blocked.map((address): [string, string] => [addressKey(address), blockedWords]),
      ...wordsOf(failed),
    ]);
  }

  /** The same for some addresses; which changes were made. After a failure the next pass is over everything. */
  async applySome(
    plan: AddressPlan,
    decisions: readonly AddressDecision[],
  ): Promise<readonly AddressChange[]> {
    // Nothing more follows from what it removes.
    for (const { change } of plan.changes) {
      if (change.kind === 'remove') this.#removed.add(addressKey(change.address));
    }
    const failed = await this.#applyChanges(plan, decisions);
    this.#failures = wordsOf(failed);
    const hasFailed = new Set(failed.map(({ change }) => change));
    return plan.changes.map(({ change }) => change).filter((change) => !hasFailed.has(change));
  }

  async #applyChanges(
    plan: AddressPlan,
    decisions: readonly AddressDecision[],
  ): Promise<readonly ChangeFailure[]> {
    const changes = plan.changes.map(({ change }) => change);
    for (const change of changes) this.#expect(change);
    const failed = changes.length === 0 ? [] : await this.#change(changes);
    const byChange = new Map(failed.map((failure) => [failure.change, failure]));
    const reasons = new Map(decisions.map(({ ip, reason }) => [ip, reason]));
    for (const planned of plan.changes) {
      const failure = byChange.get(planned.change);
      if (failure === undefined) this.#noteDone(planned, reasons);
      else this.#noteFailed(failure);
    }
    return failed;
  }

  /** Before the change is made: the kernel tells of each while others are still being made. */
  #expect({ kind, address }: AddressChange): void {
    const key = addressKey(address);
    if (kind === 'remove') this.#set.delete(key);
    else {
      this.#set.set(key, address);
      this.#removed.delete(key);
    }
  }

  async #change(changes: readonly AddressChange[]): Promise<readonly ChangeFailure[]> {
    const { kernel, refusal } = this.#setup;
    const refused = changes.flatMap((change): ChangeFailure[] => {
      const words = change.kind === 'remove' ? undefined : refusal(change.address.link);
      return words === undefined ? [] : [{ change, code: 'Refused', words }];
    });
    const isRefused = new Set(refused.map(({ change }) => change));
    const rest = changes.filter((change) => !isRefused.has(change));
    return [...refused, ...(await kernel.apply(rest))];
  }

  #noteDone({ change, reason }: PlannedChange, reasons: ReadonlyMap<Ip, string>): void {
    const { clock, log, metrics } = this.#setup;
    const { link, ip, prefixLength } = change.address;
    const fields = { ip, link, prefixLength, reason };
    if (change.kind === 'remove') this.#setUntil.delete(addressKey(change.address));
    else {
      const { validSeconds } = change.address;
      this.#setUntil.set(addressKey(change.address), clock.monotonic() + validSeconds * 1000);
    }
    switch (change.kind) {
      case 'add':
        this.#takenAt.set(addressKey(change.address), clock.monotonic());
        metrics.additions.add();
        log.info('Address added', { op: 'addAddress', ...fields });
        return;
      case 'refresh':
        metrics.renewals.add();
        log.debug('Address refreshed', fields);
        return;
      case 'remove':
        this.#takenAt.delete(addressKey(change.address));
        metrics.withdrawals.add();
        log.info('Address removed', {
          op: 'withdrawAddress',
          ...fields,
          reason: reasons.get(ip) ?? 'cluster event',
        });
        return;
      default:
        change satisfies never;
    }
  }

  #noteFailed({ change, code, errno, words }: ChangeFailure): void {
    const { log, metrics } = this.#setup;
    const key = addressKey(change.address);
    this.#removed.delete(key);
    if (change.kind === 'refresh') metrics.renewalErrors.add();
    if (this.#failures.get(key) === words) return;
    const { ip, link } = change.address;
    log.warn('Address could not be changed', { change: change.kind, ip, link, code, errno, words });
  }
}

function wordsOf(failed: readonly ChangeFailure[]): ReadonlyMap<string, string> {
  return new Map(failed.map(({ change, words }) => [addressKey(change.address), words]));
}

/** More than the kernel's rounding. */
const toleranceMs = 2_000;

const blockedWords = 'it is there already, and was not put there by PureLB';
