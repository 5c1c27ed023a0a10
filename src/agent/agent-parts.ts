/** What an agent is made of, put together. */

import type { BgpPart } from '../bgp/bgp-part.ts';
import { everyLink, isAnswerMissed } from '../decide/failover/distrust-self.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import type { WatchSetup } from '../kube/watch-set.ts';
import type { ArpSettings } from '../linux/arp-settings.ts';
import type { Forwarding } from '../linux/forwarding.ts';
import type { Guard } from '../linux/guard.ts';
import type { Kernel } from '../linux/kernel.ts';
import type { Neighbours } from '../linux/neighbours.ts';
import type { OwnPulse } from '../linux/own-pulse.ts';
import type { Ip } from '../model/ip.ts';
import type { NeighbourFrame } from '../model/neighbour-frame.ts';
import { logWatch } from '../program/log-watch.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { AddressKeeper } from './address-keeper.ts';
import { DecisionLog } from './agent-log.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import { Announcer } from './announcer.ts';
import { ArpSettingsLog } from './arp-settings-log.ts';
import { ConfigurationLog } from './configuration-log.ts';
import type { Datagrams } from './datagrams.ts';
import { Departure } from './departure.ts';
import { Failover } from './failover.ts';
import { ForwardingWatch } from './forwarding-watch.ts';
import { GuardKeeper } from './guard-keeper.ts';
import { Inquiries } from './inquiries.ts';
import { KernelReader } from './kernel-reader.ts';
import type { KeyRing } from './key-ring.ts';
import { LinkWatch } from './link-watch.ts';
import { LookAhead } from './look-ahead.ts';
import { makeSlotWriters } from './make-slot-writers.ts';
import { MemberWatch } from './member-watch.ts';
import { Membership } from './membership.ts';
import { Moves } from './moves.ts';
import { OwnerNotices } from './owner-notices.ts';
import { PassScope } from './pass-scope.ts';
import { PeerHints } from './peer-hints.ts';
import { SelfTrust } from './self-trust.ts';
import { ServiceIndex } from './service-index.ts';
import { SignedClaims } from './signed-claims.ts';
import type { SlotWriter } from './slot-writer.ts';
import { Teller } from './teller.ts';
import { VirtualLinkKeeper } from './virtual-link-keeper.ts';
import type { WakeCall } from './wake-count.ts';
import { WatchedEndpoints } from './watched-endpoints.ts';
import { WatchedObjects } from './watched-objects.ts';
import { WireEar } from './wire-ear.ts';
import { WireMemory } from './wire-memory.ts';

export interface AgentSetup {
  readonly cluster: Cluster;
  readonly kernel: Kernel;
  readonly neighbours: Neighbours;
  readonly guard: Guard;
  /** Absent: nobody looks whether kube-proxy forwards. */
  readonly forwarding?: Forwarding;
  readonly datagrams: Datagrams;
  readonly keys: KeyRing;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly pulse: OwnPulse;
  readonly random: () => number;
  /** Of 48 bits, that nobody can guess. */
  readonly drawNumber: () => number;
  readonly log: Log;
  readonly metrics: AgentMetrics;
  readonly node: string;
  readonly installNamespace: string;
  readonly instance: string;
  readonly leaseDurationMs: number;
  readonly daemonSet: string;
  readonly apiServers: readonly Ip[];
  /** Undefined: this node does not speak BGP. */
  readonly bgp?: BgpPart | undefined;
  /** Of our own pod; absent or empty: not known. */
  readonly podName?: string;
  /** Every pass over some Services is audited, as in tests; otherwise an audit takes place every few minutes. */
  readonly auditsEveryPass?: boolean;
  /** Absent: nobody looks. */
  readonly readArpSettings?: (link: string) => ArpSettings | undefined;
}

export interface AgentLogs {
  readonly decisions: DecisionLog;
  readonly configuration: ConfigurationLog;
  readonly arp: ArpSettingsLog;
}

export interface AgentParts {
  readonly objects: WatchedObjects;
  readonly index: ServiceIndex;
  readonly scope: PassScope;
  readonly endpoints: WatchedEndpoints;
  readonly reader: KernelReader;
  readonly ear: WireEar;
  readonly memory: WireMemory;
  readonly lookAhead: LookAhead;
  readonly self: SelfTrust;
  readonly links: LinkWatch;
  readonly keys: KeyRing;
  readonly hints: PeerHints;
  readonly failover: Failover;
  readonly inquiries: Inquiries;
  readonly claims: SignedClaims;
  readonly notices: OwnerNotices;
  readonly membership: Membership;
  readonly moves: Moves;
  readonly departure: Departure;
  readonly members: MemberWatch;
  readonly keeper: AddressKeeper;
  readonly virtualLink: VirtualLinkKeeper;
  readonly guard: GuardKeeper;
  readonly forwarding: ForwardingWatch;
  readonly announcer: Announcer;
  readonly slots: SlotWriter;
  readonly teller: Teller;
  readonly logs: AgentLogs;
}

/** How to ask for a pass. */
export interface Wakes {
  /** Soon: many of them are worth one. Over everything, unless it is about these addresses alone. */
  readonly wake: (reason: WakeCall, about?: readonly Ip[]) => void;
  /** Now. */
  readonly hurry: (reason: WakeCall, about?: readonly Ip[]) => void;
}

export function assemble(setup: AgentSetup, { wake, hurry }: Wakes): AgentParts {
  const { clock, log, kernel, neighbours, metrics, node: me, leaseDurationMs: durationMs } = setup;
  const watching = watchSetup(setup);
  const objects = new WatchedObjects(watching, setup.installNamespace);
  const index = new ServiceIndex(objects.services);
  const offers = () => [...objects.offers.values()].flatMap(({ value }) => value ?? []);
  const virtualLink = new VirtualLinkKeeper({ kernel, log, offers });
  const keeper = makeKeeper(setup, virtualLink);
  const membership = makeMembership(setup, objects, keeper, () => wake('lease'));
  const { slots, statuses } = makeSlotWriters(setup, objects, () => wake('write'));
  const self = trustSelf(setup, membership, () => wake('stall'));
  return {
    objects,
    index,
    scope: new PassScope(index),
    endpoints: new WatchedEndpoints(watching, () => wake('endpoints')),
    reader: makeReader(setup, self),
    self,
    links: new LinkWatch(clock, self),
    ...listenToOthers(setup, self, objects, { wake, hurry }),
    membership,
    moves: new Moves(setup),
    departure: new Departure(clock),
    members: new MemberWatch({
      me,
      clock,
      durationMs,
      members: () => [...objects.leases.values()].flatMap(({ value }) => value ?? []),
      renewedAt: () => membership.renewedAt,
      isConfirmed: () => objects.leases.unconfirmed === 0,
      onChange: () => wake('members'),
    }),
    keeper,
    virtualLink,
    guard: new GuardKeeper({ guard: setup.guard, clock, log, offers }),
    forwarding: new ForwardingWatch({ ...setup, onNews: (ips) => hurry('forwarding', ips) }),
    announcer: new Announcer({ neighbours, log, metrics }),
    slots,
    teller: new Teller({ events: setup.events, slots, statuses, metrics }),
    logs: makeLogs(setup),
  };
}

function makeReader({ kernel, clock, log }: AgentSetup, self: SelfTrust): KernelReader {
  return new KernelReader({
    kernel,
    clock,
    onFailure: (what, error) => log.warn('Kernel could not be read', { what, error }),
    onReadable: (unreadMs) => {
      if (isAnswerMissed(unreadMs)) self.doubt(everyLink, 'kernelUnread', { idleMs: unreadMs });
    },
  });
}

function trustSelf(setup: AgentSetup, membership: Membership, onDoubt: () => void): SelfTrust {
  return new SelfTrust({ ...setup, onDoubt, onContest: () => membership.renewNow() });
}

/** What was asked is waited for: a handover is over when it is answered. */
function makeEar({ neighbours, clock, log }: AgentSetup, self: SelfTrust, { wake, hurry }: Wakes) {
  return new WireEar({
    neighbours,
    clock,
    onNews: (ip) => wake('wire', [ip]),
    onAnswer: (ip) => hurry('wire', [ip]),
    onFailure: (link, failure) => {
      log.warn('Neighbours could not be asked', { link, failure });
      self.doubt(link, 'sendFailed');
    },
  });
}

/** To what they say on the links, and to what they tell this agent by itself. */
function listenToOthers(setup: AgentSetup, self: SelfTrust, given: WatchedObjects, wakes: Wakes) {
  const { wake, hurry } = wakes;
  const ear = makeEar(setup, self, { wake, hurry });
  const believes = (frame: NeighbourFrame) => ear.believes(frame);
  const hints = new PeerHints(setup);
  const failover = new Failover({ ...setup, hints, self, believes, onNews: () => hurry('peers') });
  const inquiries = new Inquiries({ ...setup, hints, onNews: () => wake('peers') });
  const claims = new SignedClaims({ ...setup, hints, onNews: () => hurry('peers') });
  const notices = new OwnerNotices({ ...setup, hints });
  hints.listen((hint, sender) => {
    if (given.unsynced.length > 0) claims.hear(hint, sender);
    if (hint.kind === 'silent' || hint.kind === 'orphan') failover.hear(hint);
    else inquiries.hear(hint, sender);
  });
  const memory = new WireMemory();
  const told = { services: given.services, onConflict: () => wake('wire') };
  const lookAhead = new LookAhead({ ...setup, ear, memory, ...told });
  const heard = { ear, memory, lookAhead };
  return { keys: setup.keys, hints, ...heard, failover, inquiries, claims, notices };
}

function watchSetup({ cluster, clock, random, log }: AgentSetup): WatchSetup {
  return {
    cluster,
    clock,
    random,
    observe: (what, observation) => logWatch(log, what, observation),
    onListenerError: (error) => log.error('Listener failed', { error }),
  };
}

function makeKeeper(
  { kernel, clock, log, metrics }: AgentSetup,
  virtualLink: VirtualLinkKeeper,
): AddressKeeper {
  const refusal = (link: string) => virtualLink.refusal(link);
  return new AddressKeeper({ kernel, clock, log, metrics, refusal });
}

function makeMembership(
  setup: AgentSetup,
  objects: WatchedObjects,
  keeper: AddressKeeper,
  wake: () => void,
): Membership {
  const { cluster, clock, log, metrics, node, instance } = setup;
  return new Membership({
    cluster,
    clock,
    namespace: setup.installNamespace,
    node,
    instance,
    durationMs: setup.leaseDurationMs,
    lifetimes: () => keeper.lifetimes(),
    onRenewed: (lease) => {
      metrics.leaseRenewals.add();
      objects.leases.put(lease);
      if (keeper.isOffering) wake();
    },
    onFailed: (error, failures) => {
      metrics.leaseFailures.add();
      const fields = { op: 'renewFailed', error, failures };
      if (failures > 1) return log.debug('Lease could not be renewed', fields);
      log.warn('Lease could not be renewed', fields);
      // Lifetimes that it has not told are cut.
      wake();
    },
    onRecovered: () => objects.retrySoon(),
    onHealth: (isHealthy) => {
      if (isHealthy) log.info('Lease is renewed', { op: 'healthRestored' });
      else log.error('Lease has ended', { op: 'leaseLost' });
      wake();
    },
  });
}

function makeLogs({ log, readArpSettings = () => undefined }: AgentSetup): AgentLogs {
  return {
    decisions: new DecisionLog(log),
    configuration: new ConfigurationLog(log),
    arp: new ArpSettingsLog(log, readArpSettings),
  };
}
