/**
 * What the agent keeps of its passes: the facts of the last pass over everything, and the decision about every address.
 * A pass over some Services replaces their decisions and leaves the others. The rules know nothing of it: they decide
 * about the Services that they are given.
 */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import { pointOf } from '../decide/announcement/electorate.ts';
import { comparePoints, type Placing, summarize } from '../decide/announcement/place-addresses.ts';
import {
  type AddressChange,
  addressKey,
  type HeldAddress,
  isHeldByUs,
  type WantedAddress,
} from '../model/address.ts';
import type { Ip } from '../model/ip.ts';
import type { PassRecord } from './pass-record.ts';
import type { Scope } from './service-index.ts';
import type { PassPlans } from './wake-count.ts';

/** For replies that no host can have sent yet. */
export const askAgainMs = 200;

export class KeptPass {
  /** Of the pass over everything. */
  readonly whole: PassRecord;
  plans: PassPlans;
  /** An address of the node itself stands behind another one on its link. */
  readonly isOwnDisplaced: boolean;
  readonly #readAt: number;
  readonly #decisions = new Map<Ip, AddressDecision>();
  readonly #dueAt = new Map<Ip, number>();
  readonly #held = new Map<Ip, readonly HeldAddress[]>();
  readonly #heldKeys = new Set<string>();
  #record: PassRecord | undefined;
  #parts = 0;

  /** `readAt`: when the kernel was read, in ms on the monotonic clock. */
  constructor(whole: PassRecord, plans: PassPlans, readAt: number) {
    this.whole = whole;
    this.plans = plans;
    this.#readAt = readAt;
    this.#record = whole;
    this.isOwnDisplaced = (whole.held ?? []).some((one) => !one.isOurs && one.isSecondary);
    for (const decision of whole.placing.decisions) this.#note(decision);
    for (const [ip, held] of Map.groupBy(whole.held ?? [], (address) => address.ip)) {
      this.#setHeld(ip, held);
    }
    for (const address of whole.serving) this.#heldKeys.add(addressKey(address));
  }

  get decisions(): ReadonlyMap<Ip, AddressDecision> {
    return this.#decisions;
  }

  /** By `addressKey`: what the kernel holds of ours, and what serves in its place. */
  get heldKeys(): ReadonlySet<string> {
    return this.#heldKeys;
  }

  isHeld(ip: Ip): boolean {
    return this.#held.get(ip)?.some(isHeldByUs) === true;
  }

  /** With the time that is left to them. */
  heldOf(ips: Iterable<Ip>, now: number): readonly HeldAddress[] {
    const agedSeconds = Math.max(0, Math.floor((now - this.#readAt) / 1000));
    return [...ips].flatMap((ip) => this.#held.get(ip) ?? []).map((held) => age(held, agedSeconds));
  }

  formerOf({ ips }: Scope): readonly AddressDecision[] {
    return [...ips].flatMap((ip) => this.#decisions.get(ip) ?? []);
  }

  /** Addresses whose decision is due again by then, though nothing else changes. */
  due(time: number): readonly Ip[] {
    return [...this.#dueAt].filter(([, at]) => at <= time).map(([ip]) => ip);
  }

  get dueTimes(): readonly number[] {
    return [...this.#dueAt.values()];
  }

  replace({ ips }: Scope, decisions: readonly AddressDecision[], now: number): void {
    for (const ip of ips) {
      this.#decisions.delete(ip);
      this.#dueAt.delete(ip);
    }
    for (const decision of decisions) {
      this.#note(decision);
      // There is more to ask when what was asked has had time to be answered.
      if (decision.asks !== undefined) this.#dueAt.set(decision.ip, now + askAgainMs);
    }
    this.#parts += 1;
    this.#record = undefined;
  }

  /** The kernel has acknowledged these. */
  noteChanges(changes: readonly AddressChange[], now: number): void {
    for (const { kind, address } of changes) {
      const key = addressKey(address);
      const others = (this.#held.get(address.ip) ?? []).filter((one) => addressKey(one) !== key);
      const next = kind === 'remove' ? others : [...others, this.#asHeld(address, now)];
      this.#setHeld(address.ip, next);
      if (kind === 'remove') this.#heldKeys.delete(key);
    }
  }

  /** As `agent state` tells it. */
  get record(): PassRecord {
    this.#record ??= this.#describe();
    return this.#record;
  }

  #describe(): PassRecord {
    const decisions = [...this.#decisions.values()].sort((left, right) =>
      comparePoints(pointOf(left.ip), pointOf(right.ip)),
    );
    const placing: Placing = summarize(decisions);
    const held = [...this.#held.values()].flat();
    const number = this.whole.number + this.#parts;
    return { ...this.whole, placing, held, number, parts: this.#parts };
  }

  #note(decision: AddressDecision): void {
    this.#decisions.set(decision.ip, decision);
    if (decision.wakeAt !== undefined) this.#dueAt.set(decision.ip, decision.wakeAt);
  }

  #setHeld(ip: Ip, held: readonly HeldAddress[]): void {
    if (held.length === 0) this.#held.delete(ip);
    else this.#held.set(ip, held);
    for (const address of held.filter(isHeldByUs)) this.#heldKeys.add(addressKey(address));
  }

  /** Counted from when the kernel was read, as the others are. */
  #asHeld(wanted: WantedAddress, now: number): HeldAddress {
    const { link, ip, prefixLength, noPrefixRoute } = wanted;
    const sinceSeconds = Math.floor((now - this.#readAt) / 1000);
    const linkIndex =
      this.whole.machine.kernel.links?.find(({ name }) => name === link)?.index ?? 0;
    return {
      linkIndex,
      link,
      ip,
      prefixLength,
      validSeconds: wanted.validSeconds + sinceSeconds,
      preferredSeconds: wanted.preferredSeconds === 0 ? 0 : wanted.preferredSeconds + sinceSeconds,
      noPrefixRoute,
      isOurs: true,
      isSecondary: false,
      isTentative: false,
      isDeprecated: wanted.preferredSeconds === 0,
      hasFailedDad: false,
      scope: 'global',
    };
  }
}

function age(held: HeldAddress, seconds: number): HeldAddress {
  return {
    ...held,
    validSeconds: Math.max(0, held.validSeconds - seconds),
    preferredSeconds: Math.max(0, held.preferredSeconds - seconds),
  };
}
