/**
 * What must hold at every step: an address has a holder, and one, as far as anyone can have it so; nobody touches what
 * is not ours; what is not known removes nothing; and where all is well nothing is written but renewals.
 */

import type { AddressChange } from '../../src/model/address.ts';
import type { Ip } from '../../src/model/ip.ts';
import { isInPools } from './address-plan.ts';
import {
  aftermathMs,
  failoverInTroubleMs,
  failoverMs,
  failoverOfManyMs,
  handoverMs,
  lifetimeMs,
  misleadingMs,
  orphanMs,
  overlapInTroubleMs,
  overlapMs,
  readyAfterMs,
  resyncMs,
  reunionMs,
  settledAfterMs,
} from './bounds.ts';
import type { Disturbance, Disturbances } from './disturbances.ts';
import type { Measurements } from './measurements.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { Simulation } from './simulation.ts';

export interface Watched {
  readonly simulation: Simulation;
  readonly disturbances: Disturbances;
  readonly measurements: Measurements;
  readonly excluded: ReadonlySet<SimulatedNode>;
  readonly unreadable: ReadonlySet<SimulatedNode>;
  /** Members answer for what they do not hold. */
  readonly isMisleading: boolean;
  readonly onViolation: (what: string) => void;
  readonly onMove: (ip: Ip, holders: readonly string[]) => void;
}

interface Standing {
  holders: readonly SimulatedNode[];
  /** Who had it last, when somebody did. */
  last: SimulatedNode | undefined;
  /** Since when nobody has it, though some could. */
  nobodySince: number | undefined;
  twoSince: number | undefined;
  /** Until when its last holder answered for it though it had lost it, and only its idle agent could tell. */
  servedUntil: number | undefined;
  /** When it came to a second one their agents ran, or had just been running: as in a planned move. */
  isAgreed: boolean;
}

export class Invariants {
  readonly #world: Watched;
  readonly #standings = new Map<Ip, Standing>();
  /** Since when each node could take an address. */
  readonly #ableSince = new Map<SimulatedNode, number>();
  /** When each agent was last seen to run. */
  readonly #ranAt = new Map<SimulatedNode, number>();
  #lastEventAt = 0;
  #silencesSeen = 0;

  constructor(world: Watched) {
    this.#world = world;
  }

  /** Something began, ended, or was asked for. */
  noteEvent(): void {
    this.#lastEventAt = this.#now();
  }

  /** Whether all has been well for so long that nothing but renewals may be written. */
  get isSettled(): boolean {
    const { disturbances } = this.#world;
    return disturbances.isCalm && this.#now() - this.#lastEventAt > settledAfterMs;
  }

  /** Who can be reached and could serve if these could not. */
  countAble(except: readonly SimulatedNode[]): number {
    const { nodes } = this.#world.simulation;
    return nodes.filter((node) => !except.includes(node) && this.#isAble(node)).length;
  }

  /** After anything that decides who holds what. */
  look(): void {
    const now = this.#now();
    this.#lookAtNodes(now);
    const ips = this.#world.simulation.ips;
    for (const ip of ips) this.#lookAt(ip, now);
    for (const ip of this.#standings.keys()) if (!ips.includes(ip)) this.#standings.delete(ip);
    this.#countSilences();
  }

  #lookAtNodes(now: number): void {
    for (const node of this.#world.simulation.nodes) {
      if (node.isAgentRunning) this.#ranAt.set(node, now);
      if (!this.#isAble(node)) this.#ableSince.delete(node);
      else if (!this.#ableSince.has(node)) this.#ableSince.set(node, now);
    }
  }

  /** Every now and then: whether anything lasts too long. */
  check(): void {
    const now = this.#now();
    this.#lookAtNodes(now);
    for (const [ip, standing] of this.#standings) {
      if (standing.nobodySince !== undefined) this.#checkNobody(ip, standing, now);
      if (standing.twoSince !== undefined) this.#checkTwo(ip, standing, now);
    }
  }

  /** Addresses that do not have one holder, while nothing is wrong any more. */
  findUnwell(): readonly string[] {
    return [...this.#standings].flatMap(([ip, { holders }]) => {
      const names = holders.map(({ name }) => name).join(' and ');
      return holders.length === 1 ? [] : [`${ip} is on ${names === '' ? 'no node' : names}`];
    });
  }

  /** Before an agent changes its kernel. */
  checkChanges(node: SimulatedNode, changes: readonly AddressChange[]): void {
    for (const change of changes) {
      const { ip } = change.address;
      const held = node.kernel.machine.addresses();
      const there = held.find((each) => each.ip === ip && each.link === change.address.link);
      const wants = `${node.name} wants to ${change.kind} ${ip}`;
      if (there?.isOurs === false) this.#world.onViolation(`${wants}, which is not ours`);
      this.#checkChange(node, change, wants);
    }
  }

  #checkChange(node: SimulatedNode, { kind, address }: AddressChange, wants: string): void {
    const { onViolation, unreadable } = this.#world;
    if (kind === 'add' && !isAllowed(address)) {
      const { prefixLength, link } = address;
      onViolation(`${wants}/${prefixLength} on ${link}, which no group allows`);
    }
    // The address of a Service that is gone may go: that is the word of the API server, not of an unread kernel.
    const isServed = this.#world.simulation.ips.includes(address.ip);
    if (kind === 'remove' && unreadable.has(node) && isServed)
      onViolation(`${wants} though its kernel could not be read`);
    if (kind !== 'refresh' && this.isSettled) onViolation(`${wants} though nothing happened`);
  }

  /** As it arrives at the API server. */
  checkWrite(method: string, url: string): void {
    const isRenewal = method === 'PUT' && url.includes('/leases/');
    // An Event that came several times is closed with its count, minutes later.
    const isSeries = method === 'PATCH' && url.includes('/events/');
    if (isRenewal || isSeries || !this.isSettled) return;
    this.#world.onViolation(`${method} ${url.replace(/\?.*/, '')} though nothing happened`);
  }

  #now(): number {
    return this.#world.simulation.clock.monotonic();
  }

  #isAble(node: SimulatedNode): boolean {
    const { simulation, excluded, unreadable } = this.#world;
    if (!node.isAwake || !node.isAgentRunning) return false;
    if (excluded.has(node) || unreadable.has(node) || this.#isUnsynced(node)) return false;
    return simulation.isOpen(simulation.client.nic, node.nic);
  }

  /** It reads the cluster again some time after its way to the API server is open. */
  #isUnsynced(node: SimulatedNode): boolean {
    const now = this.#now();
    return this.#world.disturbances.lostApiUntil([node], now) > now - resyncMs;
  }

  #lookAt(ip: Ip, now: number): void {
    const before = this.#standings.get(ip) ?? unheld(now);
    const holders = this.#world.simulation.nodes.filter((node) => this.#isSeenToHold(node, ip));
    const standing: Standing = {
      holders,
      last: holders.length === 1 ? holders[0] : before.last,
      nobodySince: holders.length === 0 ? (before.nobodySince ?? now) : undefined,
      twoSince: holders.length > 1 ? (before.twoSince ?? now) : undefined,
      servedUntil: before.servedUntil,
      isAgreed: before.twoSince === undefined ? this.#haveRun(holders, now) : before.isAgreed,
    };
    this.#standings.set(ip, standing);
    this.#measure(ip, before, standing, now);
  }

  #haveRun(holders: readonly SimulatedNode[], now: number): boolean {
    return holders.every((node) => now - (this.#ranAt.get(node) ?? -Infinity) < handoverMs);
  }

  #measure(ip: Ip, before: Standing, standing: Standing, now: number): void {
    const { measurements, disturbances, onMove } = this.#world;
    if (before.twoSince !== undefined && standing.twoSince === undefined) {
      const ms = now - before.twoSince;
      measurements.overlaps.push({ ip, ms, cause: disturbances.causeOf(before.twoSince) });
      this.#checkTwo(ip, before, now);
    }
    const hasMoved = standing.last !== before.last;
    if (before.last !== undefined && hasMoved) measurements.moves += 1;
    if (!hasMoved && before.holders.length === standing.holders.length) return;
    onMove(
      ip,
      standing.holders.map(({ name }) => name),
    );
  }

  /** By those on the client's side of the network. */
  #isSeenToHold(node: SimulatedNode, ip: Ip): boolean {
    const { simulation } = this.#world;
    const isThere = node.isAwake && node.holds(ip);
    return isThere && simulation.isOpen(simulation.client.nic, node.nic);
  }

  #countSilences(): void {
    const { simulation, measurements, disturbances } = this.#world;
    const { silences } = simulation.client;
    for (const { ip, from, ms } of silences.slice(this.#silencesSeen)) {
      const cause = disturbances.causeOf(from);
      if (cause !== 'start') measurements.outages.push({ ip, ms, cause });
    }
    this.#silencesSeen = silences.length;
  }

  #checkNobody(ip: Ip, standing: Standing, now: number): void {
    const { disturbances, onViolation, isMisleading } = this.#world;
    if (this.#isServed(ip, standing, now)) {
      standing.servedUntil = now;
      return;
    }
    // Someone must have been there who could take it, and able to learn of it.
    const able = [...this.#ableSince.values()].map((since) => since + readyAfterMs);
    const from = Math.max(
      standing.nobodySince ?? now,
      standing.servedUntil ?? -Infinity,
      Math.min(...able),
      disturbances.apiTroubleUntil(now),
      disturbances.framesTroubleUntil(now),
    );
    const usual = failoverLimit(disturbances.serious(from - aftermathMs));
    const limit = usual + (isMisleading ? misleadingMs : 0);
    if (now - from <= limit) return;
    const ms = Math.round(now - (standing.nobodySince ?? now));
    onViolation(`${ip} has had no holder for ${ms} ms (at most ${limit} from ${Math.round(from)})`);
    standing.nobodySince = now;
  }

  /**
   * With IPVS the kernel of the node that lost the address still answers for it and serves it. No other node can tell
   * that from holding it before the lifetime ends that the Lease of that node tells.
   */
  #isServed(ip: Ip, { last, nobodySince = 0 }: Standing, now: number): boolean {
    if (!this.#world.isMisleading || now - nobodySince > lifetimeMs) return false;
    return last !== undefined && !last.isAgentRunning && last.answers(ip);
  }

  #checkTwo(ip: Ip, standing: Standing, now: number): void {
    const { holders, twoSince: since = now } = standing;
    const { from, limit } = this.#allowTwo(standing, since, now);
    // PureLB removes nothing that it did not put there: another node gives way if it can.
    const copied = this.#world.disturbances.copiedUntil(holders, now);
    if (now - Math.max(from, copied) <= limit) return;
    const names = holders.map(({ name }) => name).join(' and ');
    const ms = Math.round(now - since);
    this.#world.onViolation(`${ip} has been on ${names} for ${ms} ms (at most ${limit})`);
    standing.twoSince = now;
  }

  /** For how long two may hold it, and from when on that counts. */
  #allowTwo({ holders, isAgreed }: Standing, since: number, now: number) {
    const { disturbances } = this.#world;
    const parted = disturbances.partedUntil(holders, now);
    const started = Math.max(...holders.map((node) => Math.min(node.startedAt, now)));
    const isIdle = holders.some((node) => !node.isAgentRunning);
    // Half of a planned move: what the kernel has it keeps while its agent is dead or stands still.
    const frozen = disturbances.frozenUntil(holders, now);
    // Nobody can have told the others how long its kernel keeps an address.
    const isOrphaned = holders.some((node) => !node.isAgentRunning && this.#isUnsynced(node));
    if (isOrphaned) return { from: since, limit: lifetimeMs };
    const wasLeft = isAgreed && (isIdle || Math.max(started, frozen) > since);
    if (parted <= since - aftermathMs && !wasLeft)
      return { from: since, limit: this.#overlap(since, now) };
    if (isIdle) return { from: now, limit: Infinity };
    const apiTrouble = disturbances.apiTroubleUntil(now);
    const isBehind = apiTrouble > since - aftermathMs;
    const limit = reunionMs + (isBehind ? resyncMs : 0);
    // What two say to each other must arrive.
    const frames = disturbances.framesTroubleUntil(now);
    return { from: Math.max(since, parted, started, frozen, apiTrouble, frames), limit };
  }

  #overlap(since: number, now: number): number {
    const isHeard = this.#world.disturbances.framesTroubleUntil(now) < since - aftermathMs;
    return isHeard ? overlapMs : overlapInTroubleMs;
  }
}

/** Whatever someone writes on a Service: an address of a group, with the length of its subnet. */
function isAllowed({ ip, prefixLength }: AddressChange['address']): boolean {
  return isInPools(ip) && prefixLength >= (ip.includes(':') ? 64 : 24);
}

function unheld(now: number): Standing {
  const since = { nobodySince: now, twoSince: undefined, servedUntil: undefined };
  return { holders: [], last: undefined, ...since, isAgreed: false };
}

function failoverLimit(serious: readonly Disturbance[]): number {
  const [first] = serious;
  if (serious.length > 1) return failoverInTroubleMs;
  if (first !== undefined && orphaning.has(first.kind)) return orphanMs;
  return (first?.nodes.length ?? 1) > 1 ? failoverOfManyMs : failoverMs;
}

/** The node lives on, and so do its other addresses. */
const orphaning: ReadonlySet<string> = new Set(['agent-frozen', 'agent-killed', 'address-removed']);
