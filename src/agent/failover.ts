/** Watches holders, hears what others found, and knows who must not be counted on. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import type { Liveness } from '../decide/announcement/judge-members.ts';
import type { WireView } from '../decide/announcement/node-snapshot.ts';
import type { Placing } from '../decide/announcement/place-addresses.ts';
import type { Absence } from '../decide/failover/absences.ts';
import {
  assignWatches,
  describeWatches,
  findPeers,
  type OwnLink,
  type Watch,
  type WatchFacts,
} from '../decide/failover/assign-watches.ts';
import {
  type Expectation,
  expectSuccessors,
  findPassedOver,
  nextPassAt,
} from '../decide/failover/pass-over.ts';
import type { Sight } from '../decide/failover/seen-addresses.ts';
import type { Neighbours } from '../linux/neighbours.ts';
import type { FailoverTimings } from '../model/agent-config.ts';
import { familyOf, type Ip } from '../model/ip.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Hint } from '../wire/hint.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import { asEthernet } from './as-ethernet.ts';
import type { Hints } from './hints.ts';
import { HolderWatch, type HolderWatchSetup } from './holder-watch.ts';
import type { SelfTrust } from './self-trust.ts';
import type { ClusterView, MachineView } from './snapshot.ts';
import { surveyed } from './tell-everyone.ts';
import type { WatchedHolder, WatchedLink } from './watch-target.ts';

export interface FailoverSetup {
  readonly node: string;
  readonly neighbours: Neighbours;
  readonly hints: Hints;
  readonly clock: Clock;
  readonly log: Log;
  readonly believes: HolderWatchSetup['believes'];
  readonly self: Pick<SelfTrust, 'feel' | 'expect' | 'doubt'>;
  readonly metrics: Pick<AgentMetrics, 'silences'>;
  /** Someone fell silent, or is back. */
  readonly onNews: () => void;
}

export interface FailoverFacts {
  readonly cluster: ClusterView;
  readonly machine: MachineView;
  readonly liveness: ReadonlyMap<string, Liveness>;
  readonly placing: Placing;
  readonly wire: Pick<WireView, 'announced'>;
  /** Undefined: nothing is configured, so nobody is watched. */
  readonly timings: FailoverTimings | undefined;
}

/** What a pass decided about some addresses. */
export interface DecidedPart {
  readonly ips: ReadonlySet<Ip>;
  readonly decisions: readonly AddressDecision[];
  readonly loadBalancers: readonly LoadBalancer[];
  readonly wire: Pick<WireView, 'announced'>;
}

const assignEveryMs = 1_000;

export class Failover {
  readonly #setup: FailoverSetup;
  readonly #watch: HolderWatch;
  #facts: WatchFacts | undefined;
  #given: FailoverFacts | undefined;
  #expectations = new Map<Ip, Expectation>();
  /** Decisions changed since the watches were last assigned. */
  #isAssignmentDue = false;
  #nextAssignmentAt = -Infinity;

  constructor(setup: FailoverSetup) {
    this.#setup = setup;
    const { neighbours, clock, believes, self, onNews } = setup;
    this.#watch = new HolderWatch({
      neighbours,
      clock,
      believes,
      onTick: () => self.feel(),
      onPlan: (at) => self.expect(at),
      onNews,
      onMissed: (watch) => this.#tellPeers(watch),
      onSilent: (watch) => this.#tell(watch),
      onOrphan: (watch, ip) => this.#tellOrphan(watch, ip),
      onDoubt: (link, because, lastsMs) => self.doubt(link, because, { lastsMs }),
    });
  }

  /** Members by the link on which they do not answer. */
  get silent(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#watch.silent;
  }

  get absences(): readonly Absence[] {
    return this.#watch.absences;
  }

  get orphans(): ReadonlyMap<Ip, ReadonlySet<string>> {
    return this.#watch.orphans;
  }

  /** Members that were to take an address, and did not. */
  get passedOver(): ReadonlyMap<Ip, ReadonlySet<string>> {
    return findPassedOver(this.#expectations, this.#setup.clock.monotonic());
  }

  get seen(): ReadonlyMap<string, Sight> {
    return this.#watch.seen;
  }

  /** For people: whom this node watches, and how they are. */
  get watching(): readonly WatchedHolder[] {
    return this.#watch.holders;
  }

  /** After each pass: whom to watch follows from who holds what. Says when the next one is passed over. */
  attend(given: FailoverFacts): number {
    const { cluster, machine, placing, wire, timings } = given;
    this.#given = given;
    if (timings === undefined || machine.survey.kind === 'unknown') return Infinity;
    const { decisions } = placing;
    const { loadBalancers } = cluster;
    const part = { ips: new Set(this.#expectations.keys()), decisions, loadBalancers, wire };
    this.#expect(part, given, timings);
    this.#assign(decisions, given, timings);
    return this.passOverAt;
  }

  /**
   * After a pass over some addresses, with the Services that have them. The watches follow from the decisions about all
   * addresses, and are therefore assigned at most once a second, or at once when a node owns its first address.
   */
  attendSome(part: DecidedPart, all: () => readonly AddressDecision[]): void {
    const given = this.#given;
    if (given?.timings === undefined || given.machine.survey.kind === 'unknown') return;
    this.#expect(part, given, given.timings);
    const isNewOwner = ({ election }: AddressDecision) =>
      election?.winner !== undefined && this.#facts?.holdings.has(election.winner) !== true;
    this.#isAssignmentDue ||= part.ips.size > 0;
    const isDue = this.#isAssignmentDue && this.#setup.clock.monotonic() >= this.#nextAssignmentAt;
    if (isDue || part.decisions.some(isNewOwner)) this.#assign(all(), given, given.timings);
  }

  /** When the watches are to be assigned again, in ms on the monotonic clock. */
  get assignAt(): number {
    return this.#isAssignmentDue ? this.#nextAssignmentAt : Infinity;
  }

  /** When the next member is passed over. */
  get passOverAt(): number {
    return nextPassAt(this.#expectations, this.#setup.clock.monotonic());
  }

  #assign(
    decisions: readonly AddressDecision[],
    { cluster, machine, liveness }: FailoverFacts,
    timings: FailoverTimings,
  ): void {
    const { node, clock } = this.#setup;
    const facts: WatchFacts = {
      me: node,
      links: ownLinks(machine),
      members: cluster.members,
      dead: this.#findDead(liveness),
      zones: new Map(
        cluster.nodes.flatMap(({ name, zone }) => (zone === undefined ? [] : [[name, zone]])),
      ),
      holdings: findHoldings(decisions),
    };
    this.#facts = facts;
    this.#isAssignmentDue = false;
    this.#nextAssignmentAt = clock.monotonic() + assignEveryMs;
    this.#watch.attend({ watches: assignWatches(facts), links: watchedLinks(machine), timings });
    for (const successor of findSuccessors(decisions, node)) this.#lookAt(successor, facts);
  }

  #expect(part: DecidedPart, { cluster }: FailoverFacts, timings: FailoverTimings): void {
    const { node, clock } = this.#setup;
    const { ips, decisions, loadBalancers, wire } = part;
    const slots = loadBalancers.flatMap(({ grant }) => grant.slots);
    const facts = {
      me: node,
      decisions,
      slots: new Map(slots.map((slot) => [slot.ip, slot.node])),
      announced: wire.announced,
      timings,
      forwardingWaitMs: cluster.choice.config?.forwardingWaitMs ?? 0,
      checks: cluster.pools.map(({ conflictCheck }) => conflictCheck),
      now: clock.monotonic(),
    };
    const expected = expectSuccessors(facts, this.#expectations);
    for (const ip of ips) this.#expectations.delete(ip);
    for (const [ip, one] of expected) this.#expectations.set(ip, one);
  }

  /** Whether it lives at all: what it is to hold it cannot be asked for yet. */
  #lookAt(member: string, facts: WatchFacts): void {
    const empty = { ...facts, holdings: new Map() };
    for (const watch of describeWatches(member, empty)) this.#watch.suspect(watch);
  }

  stop(): void {
    this.#watch.stop();
    this.#setup.hints.close();
  }

  #findDead(liveness: FailoverFacts['liveness']): ReadonlySet<string> {
    const expired = [...liveness].filter(([, state]) => state === 'expired').map(([name]) => name);
    return new Set([...expired, ...[...this.silent.values()].flatMap((nodes) => [...nodes])]);
  }

  #tell(watch: Watch): void {
    const { holder, link, ips } = watch;
    const { log, metrics } = this.#setup;
    metrics.silences.add();
    log.warn('Holder is silent', { op: 'holderSilent', holder, link, ips: ips.length });
    this.#tellPeers(watch);
  }

  /** Each looks for itself; told as soon as an answer is missed, all of them know at the same time. */
  #tellPeers({ holder, link }: Watch): void {
    if (this.#facts === undefined) return;
    this.#setup.hints.send({ kind: 'silent', holder }, findPeers(link, this.#facts));
  }

  #tellOrphan({ holder, link }: Watch, ip: Ip): void {
    const { hints, log } = this.#setup;
    log.info('Holder does not answer for an address', { op: 'orphanFound', holder, link, ip });
    if (this.#facts === undefined) return;
    hints.send({ kind: 'orphan', holder, ip }, findPeers(link, this.#facts));
  }

  /** Someone says so: looks for itself. */
  hear(hint: Hint & { readonly kind: 'silent' | 'orphan' }): void {
    if (this.#facts === undefined) return;
    for (const watch of describeWatches(hint.holder, this.#facts)) {
      if (hint.kind === 'silent') this.#watch.suspect(watch);
      else this.#watch.suspectOrphan(watch, hint.ip);
    }
  }
}

/** Links of both families, each once. */
function ownLinks({ survey }: MachineView): readonly OwnLink[] {
  if (survey.kind === 'unknown') return [];
  const byName = Map.groupBy([...survey.links.ipv4, ...survey.links.ipv6], ({ link }) => link.name);
  return [...byName].map(([name, all]) => ({
    name,
    subnets: all.flatMap(({ subnets }) => subnets),
  }));
}

function watchedLinks({ survey, links }: MachineView): readonly WatchedLink[] {
  const byIndex = new Map(
    surveyed({ survey })
      .flatMap(asEthernet)
      .map((link) => [link.index, link]),
  );
  return [...byIndex.values()].map((link) => {
    const own = links?.links.find(({ name }) => name === link.name)?.addresses ?? [];
    const source = Object.fromEntries(own.map(({ ip }) => [familyOf(ip), ip]).toReversed());
    return { link, source };
  });
}

/** Who is to take over from a silent holder: it may have died with it, and nobody would know. */
function findSuccessors(decisions: readonly AddressDecision[], me: string): ReadonlySet<string> {
  const winners = decisions.flatMap(({ election }) => {
    const isTakeover =
      election?.because === 'hash' &&
      election.candidates.some(({ verdict }) => verdict === 'silent');
    return isTakeover && election.winner !== undefined ? [election.winner] : [];
  });
  return new Set(winners.filter((winner) => winner !== me));
}

/** Local addresses by the member that has them, or is to have them. */
function findHoldings(decisions: readonly AddressDecision[]): ReadonlyMap<string, readonly Ip[]> {
  const held = decisions.flatMap(({ ip, election }) => {
    const winner = election?.winner;
    return winner === undefined ? [] : [{ ip, winner }];
  });
  const byWinner = Map.groupBy(held, ({ winner }) => winner);
  return new Map([...byWinner].map(([winner, all]) => [winner, all.map(({ ip }) => ip)]));
}
