/** Which subnets have nodes, which nodes are lost and what agents report, as their Leases show it on our own clock. */

import type { SubnetSighting } from '../decide/allocation/allocation-state.ts';
import { judgeMembers, type MemberObservations } from '../decide/announcement/judge-members.ts';
import { type Conflict, latestByIp } from '../model/conflict.ts';
import type { Ip } from '../model/ip.ts';
import { longestLifetime } from '../model/kernel-lifetimes.ts';
import type { Member } from '../model/member.ts';
import { formatPrefix, type Prefix } from '../model/prefix.ts';
import type { Clock } from '../runtime/clock.ts';
import { earliest } from './earliest.ts';

/** How long a subnet that lost its last node still counts as one that may have some again. */
const latelyMs = 600_000;
/** The dead-man's switch of addresses on a node: the lifetime that agents give them, where a Lease says nothing. */
const kernelLifetimeMs = 300_000;
/** What a kernel keeps for ever it keeps until an agent is back: nobody knows when. */
const longestLifetimeMs = 3_600_000;
/** How long a Lease that was there before us is left in doubt: it may be of a node that is long gone. */
const longestDoubtMs = 15_000;
/** Longest silence of the watch in which we still judge: the Lease of the leading allocator changes more often. */
const sightMs = 15_000;

export interface Look {
  /** Subnets, lost nodes or reports are others than at the look before. */
  readonly hasChanged: boolean;
  /** When to look again even if no Lease changes; monotonic. */
  readonly wakeAt: number;
}

export class NodeSightings {
  readonly #clock: Clock;
  #observations: MemberObservations | undefined;
  readonly #subnets = new Map<string, { readonly prefix: Prefix; readonly seenAt: number }>();
  #live: ReadonlySet<string> = new Set();
  /** Leases that have not changed since we look: node → what they say, and until when that proves nothing. */
  #doubts: Map<string, { readonly renewTime: string; readonly until: number }> | undefined;
  /** Fixed when a node is found lost: a time that moved with each look would be a change each time. */
  readonly #lost = new Map<string, number>();
  #conflicts: ReadonlyMap<Ip, Conflict> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `heardAt`: when the watch of the Leases last told anything. */
  look(members: readonly Member[], heardAt: number): Look {
    const before = this.#describe();
    const now = this.#clock.monotonic();
    const facts = { me: '', members, renewedAt: heardAt, durationMs: sightMs, now };
    const judgement = judgeMembers(facts, this.#observations);
    this.#observations = judgement.observations;
    const isExpired = ({ node }: Member) => judgement.liveness.get(node) === 'expired';
    this.#noteSubnets(members.filter((member) => !isExpired(member)));
    this.#noteLost(members, isExpired);
    this.#conflicts = latestByIp(members.flatMap(({ conflicts }) => conflicts));
    this.#noteDoubts(members.filter((member) => !isExpired(member)));
    const wakeAt = Math.min(judgement.wakeAt, this.#nextForgottenAt(), this.#nextDoubtEnd());
    return { hasChanged: this.#describe() !== before, wakeAt };
  }

  /** Undefined until it is known of each node whether it lives. */
  get subnets(): readonly SubnetSighting[] | undefined {
    if (this.#doubts?.size !== 0) return undefined;
    return [...this.#subnets].map(([text, { prefix }]) => ({
      prefix,
      isLive: this.#live.has(text),
    }));
  }

  /** Node → until when (epoch ms) its kernel may go on answering for what it holds. */
  get lostHolders(): ReadonlyMap<string, number> {
    return this.#lost;
  }

  /** Addresses that a host outside the cluster has. A report of a node that is lost ends by its own time. */
  get conflicts(): ReadonlyMap<Ip, Conflict> {
    return this.#conflicts;
  }

  #noteSubnets(live: readonly Member[]): void {
    const seenAt = this.#clock.monotonic();
    const seen = new Map(
      live.flatMap(({ subnets }) => subnets.map((prefix) => [formatPrefix(prefix), prefix])),
    );
    for (const [text, prefix] of seen) this.#subnets.set(text, { prefix, seenAt });
    this.#live = new Set(seen.keys());
    for (const [text, subnet] of this.#subnets) {
      if (seenAt - subnet.seenAt >= latelyMs) this.#subnets.delete(text);
    }
  }

  /** A Lease that is gone proves nothing about the kernel of its node; one that is renewed does. */
  #noteLost(members: readonly Member[], isExpired: (member: Member) => boolean): void {
    const now = this.#clock.now();
    for (const member of members) {
      const { node, durationMs } = member;
      if (!isExpired(member)) this.#lost.delete(node);
      else if (!this.#lost.has(node)) this.#lost.set(node, now - durationMs + lifetimeMs(member));
    }
    const present = new Set(members.map(({ node }) => node));
    for (const [node, until] of this.#lost) {
      if (until <= now && !present.has(node)) this.#lost.delete(node);
    }
  }

  #noteDoubts(alive: readonly Member[]): void {
    const now = this.#clock.monotonic();
    const until = now + longestDoubtMs;
    this.#doubts ??= new Map(alive.map(({ node, renewTime }) => [node, { renewTime, until }]));
    const current = new Map(alive.map(({ node, renewTime }) => [node, renewTime]));
    for (const [node, doubt] of this.#doubts) {
      const isSettled = current.get(node) !== doubt.renewTime || doubt.until <= now;
      if (isSettled) this.#doubts.delete(node);
    }
  }

  #nextDoubtEnd(): number {
    return earliest([...(this.#doubts?.values() ?? [])].map(({ until }) => until));
  }

  #nextForgottenAt(): number {
    const gone = [...this.#subnets].filter(([text]) => !this.#live.has(text));
    return earliest(gone.map(([, { seenAt }]) => seenAt + latelyMs));
  }

  #describe(): string {
    const subnets = [...this.#subnets.keys()].map((text) => `${text} ${this.#live.has(text)}`);
    const isKnown = this.#doubts?.size === 0;
    return JSON.stringify([isKnown, subnets.sort(), [...this.#lost].sort(), [...this.#conflicts]]);
  }
}

/** From its last renewal on. */
function lifetimeMs({ lifetimes }: Member): number {
  const seconds = longestLifetime(lifetimes);
  return seconds === undefined ? kernelLifetimeMs : Math.min(seconds * 1000, longestLifetimeMs);
}
