import type { AddressDecision, ChangedDecisions } from '../decide/announcement/address-decision.ts';
import { type ConfigChoice, selectorStates } from '../decide/announcement/choose-agent-config.ts';
import { addressKey } from '../model/address.ts';
import type { Family } from '../model/ip.ts';
import { agentMetrics as agent, kubeMetrics as kube, type Metric } from '../model/metrics.ts';
import type { MoveCause } from '../model/placement-reasons.ts';
import type { Counter, Gauge } from '../runtime/metric.ts';
import type { MetricFamily } from '../runtime/metric-family.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { WakeCall, WakePlan } from './wake-count.ts';

type Counters = MetricFamily<Counter, string>;
type Gauges = MetricFamily<Gauge, string>;

export interface MembershipCount {
  readonly members: number;
  readonly subnets: number;
  readonly localSubnets: number;
}

/** `refused`: the successor did not take it; `cancelled`: it is to stay after all. */
export type HandoverOutcome = 'completed' | 'refused' | 'cancelled';

/** Counters count changes, not runs. */
export class AgentMetrics {
  readonly additions: Counter;
  readonly withdrawals: Counter;
  readonly renewals: Counter;
  readonly renewalErrors: Counter;
  readonly leaseRenewals: Counter;
  readonly leaseFailures: Counter;
  readonly reconciliations: Counter;
  readonly failures: Counter;
  readonly yields: Counter;
  readonly silences: Counter;
  readonly auditDifferences: Counter;
  readonly #advance: ReturnType<typeof advanceCounters>;
  readonly #doubts: Counters;
  readonly #forwardingChecks: Counters;
  readonly #forwardingWait: Counter;
  readonly #wakes: Counters;
  readonly #watched: Gauges;
  readonly #announced: Gauges;
  readonly #selectorState: Gauges;
  readonly #steals: Counters;
  readonly #winnerChanges: Counters;
  readonly #handovers: Counters;
  readonly #fallbacks: Counters;
  readonly #wins: Counter;
  readonly #losses: Counter;
  readonly #sent: Readonly<Record<Family, { readonly sent: Counter; readonly errors: Counter }>>;
  readonly #leaseHealthy: Gauge;
  readonly #members: Gauge;
  readonly #subnets: Gauge;
  readonly #localSubnets: Gauge;
  readonly #isConfigLoaded: Gauge;
  readonly #winners = new Map<string, string | undefined>();

  constructor(metrics: Metrics) {
    const counter = (name: keyof typeof agent) => metrics.counter({ name, help: agent[name].help });
    const gauge = (name: keyof typeof agent) => metrics.gauge({ name, help: agent[name].help });
    const { counters, gauges } = familiesOf(metrics);
    const single = (name: keyof typeof kube) => ({ name, help: kube[name].help });
    this.#announced = gauges('purelb_lbnodeagent_announced');
    this.#selectorState = gauges('purelb_lbnodeagent_selector_state');
    this.#sent = announcementCounters(counter);
    this.renewals = counter('purelb_lbnodeagent_address_renewals_total');
    this.renewalErrors = counter('purelb_lbnodeagent_address_renewal_errors_total');
    this.additions = counter('purelb_lbnodeagent_address_additions_total');
    this.withdrawals = counter('purelb_lbnodeagent_address_withdrawals_total');
    this.#wins = counter('purelb_lbnodeagent_election_wins_total');
    this.#losses = counter('purelb_lbnodeagent_election_losses_total');
    this.#steals = counters('purelb_lbnodeagent_announce_slot_steal_total');
    this.#handovers = counters('purelb_lbnodeagent_handovers_total');
    this.#wakes = counters('purelb_lbnodeagent_wakes_total');
    this.#doubts = counters('purelb_lbnodeagent_doubts_total');
    this.#forwardingChecks = counters('purelb_lbnodeagent_forwarding_checks_total');
    this.#forwardingWait = counter('purelb_lbnodeagent_forwarding_wait_seconds_total');
    this.#watched = gauges('purelb_lbnodeagent_watched_holders');
    this.silences = counter('purelb_lbnodeagent_silent_holders_total');
    this.auditDifferences = counter('purelb_lbnodeagent_audit_differences_total');
    this.#advance = advanceCounters(counter);
    this.yields = counter('purelb_lbnodeagent_yields_total');
    this.#leaseHealthy = gauge('purelb_election_lease_healthy');
    this.leaseRenewals = counter('purelb_election_lease_renewals_total');
    this.leaseFailures = counter('purelb_election_lease_renewal_failures_total');
    this.#winnerChanges = counters('purelb_election_winner_changes_total');
    this.#members = gauge('purelb_election_member_count');
    this.#subnets = gauge('purelb_election_subnet_count');
    this.#localSubnets = gauge('purelb_election_local_subnet_count');
    this.#fallbacks = counters('purelb_election_affinity_fallback_total');
    this.reconciliations = metrics.counter(single('purelb_k8s_client_updates_total'));
    this.failures = metrics.counter(single('purelb_k8s_client_update_errors_total'));
    this.#isConfigLoaded = metrics.gauge(single('purelb_k8s_client_config_loaded_bool'));
  }

  noteConfig({ state }: ConfigChoice): void {
    for (const each of selectorStates) {
      this.#selectorState.with({ state: each }).set(each === state ? 1 : 0);
    }
    if (state === 'configured') this.#isConfigLoaded.set(1);
  }

  noteMembership({ members, subnets, localSubnets }: MembershipCount, isHealthy: boolean): void {
    this.#members.set(members);
    this.#subnets.set(subnets);
    this.#localSubnets.set(localSubnets);
    this.#leaseHealthy.set(isHealthy ? 1 : 0);
  }

  noteDecisions(
    decisions: readonly AddressDecision[],
    held: ReadonlySet<string>,
    node: string,
  ): void {
    this.#announced.clear();
    const seen = new Set<string>(decisions.map(({ ip }) => ip));
    for (const ip of this.#winners.keys()) if (!seen.has(ip)) this.#forget(ip);
    this.#noteEach(decisions, held, node);
  }

  /** The same for some addresses: `former` is what was decided about them before. */
  noteSome(
    { decisions, former }: ChangedDecisions,
    held: Pick<ReadonlySet<string>, 'has'>,
    node: string,
  ): void {
    for (const { ip, services } of former) {
      for (const service of services) this.#announced.remove({ service, node, ip });
    }
    const seen = new Set<string>(decisions.map(({ ip }) => ip));
    for (const { ip } of former) if (!seen.has(ip)) this.#forget(ip);
    this.#noteEach(decisions, held, node);
  }

  #noteEach(
    decisions: readonly AddressDecision[],
    held: Pick<ReadonlySet<string>, 'has'>,
    node: string,
  ): void {
    for (const decision of decisions) {
      this.#noteElection(decision, node);
      const { ip, services, outcome } = decision;
      if (!('wanted' in outcome) || !held.has(addressKey(outcome.wanted))) continue;
      for (const service of services) this.#announced.with({ service, node, ip }).set(1);
    }
  }

  /** Addresses come and go with Services: series of those that are gone would fill the memory. */
  #forget(ip: string): void {
    this.#winners.delete(ip);
    this.#winnerChanges.remove({ service: ip });
    this.#fallbacks.remove({ service: ip });
  }

  #noteElection({ ip, election }: AddressDecision, node: string): void {
    if (election === undefined) return;
    const { winner, isFallback } = election;
    const isKnown = this.#winners.has(ip);
    const before = this.#winners.get(ip);
    if (isKnown && before === winner) return;
    this.#winners.set(ip, winner);
    if (isKnown) this.#winnerChanges.with({ service: ip }).add();
    if (isFallback) this.#fallbacks.with({ service: ip }).add();
    if (winner === node) this.#wins.add();
    else if (winner !== undefined) this.#losses.add();
  }

  /** `watching`: all is well, or a closer look is being taken. */
  noteWatched(watched: readonly { readonly state: string }[]): void {
    const counts = { watching: 0, silent: 0, unwatchable: 0 };
    for (const { state } of watched) {
      counts[state === 'silent' || state === 'unwatchable' ? state : 'watching'] += 1;
    }
    for (const [state, count] of Object.entries(counts)) this.#watched.with({ state }).set(count);
  }

  /** Of addresses that no Service has yet. */
  noteAdvance({
    probes,
    conflicts,
  }: {
    readonly probes: number;
    readonly conflicts: number;
  }): void {
    this.#advance.probes.add(probes);
    this.#advance.conflicts.add(conflicts);
  }

  countDoubt(reason: string): void {
    this.#doubts.with({ reason }).add();
  }

  countForwarding(outcome: string, waitedSeconds: number): void {
    this.#forwardingChecks.with({ outcome }).add();
    this.#forwardingWait.add(waitedSeconds);
  }

  countWake(reason: WakeCall | WakePlan): void {
    this.#wakes.with({ reason }).add();
  }

  countSteal(from: string, to: string): void {
    this.#steals.with({ from, to }).add();
  }

  countHandover(cause: MoveCause, outcome: HandoverOutcome): void {
    this.#handovers.with({ cause, outcome }).add();
  }

  countAnnouncement(family: Family, isSent: boolean): void {
    const { sent, errors } = this.#sent[family];
    (isSent ? sent : errors).add();
  }
}

function describe(name: string, { help, labels }: Metric) {
  return { name, help, labels };
}

/** Of gratuitous ARP and unsolicited neighbour advertisements. */
function announcementCounters(counter: (name: keyof typeof agent) => Counter) {
  return {
    ipv4: {
      sent: counter('purelb_lbnodeagent_garp_sent_total'),
      errors: counter('purelb_lbnodeagent_garp_errors_total'),
    },
    ipv6: {
      sent: counter('purelb_lbnodeagent_na_sent_total'),
      errors: counter('purelb_lbnodeagent_na_errors_total'),
    },
  };
}

/** Of looks in advance. */
function advanceCounters(counter: (name: keyof typeof agent) => Counter) {
  return {
    probes: counter('purelb_lbnodeagent_advance_probes_total'),
    conflicts: counter('purelb_lbnodeagent_advance_conflicts_total'),
  };
}

function familiesOf(metrics: Metrics) {
  return {
    counters: (name: keyof typeof agent) => metrics.counters(describe(name, agent[name])),
    gauges: (name: keyof typeof agent) => metrics.gauges(describe(name, agent[name])),
  };
}
