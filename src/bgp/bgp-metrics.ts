import type { BgpRecord } from '../decide/advertisement/bgp-record.ts';
import { type RouterIdSource, routerIdSources } from '../decide/advertisement/resolve-router-id.ts';
import { familyOfPath } from '../model/bgp-path.ts';
import { type Metric, bgpMetrics as names } from '../model/metrics.ts';
import type { Counter, Gauge, Histogram } from '../runtime/metric.ts';
import type { MetricFamily } from '../runtime/metric-family.ts';
import type { Metrics } from '../runtime/metrics.ts';

type Name = keyof typeof names;
type ObjectLabels = { readonly name: string; readonly namespace: string };

const perObject = {
  k8gobgp_neighbors_configured: ({ sessions }: BgpRecord) => sessions?.peers.length ?? 0,
  k8gobgp_neighbors_established: ({ state }: BgpRecord) =>
    state?.peers.filter((peer) => peer.state === 'Established').length ?? 0,
  k8gobgp_peer_groups_configured: ({ choice }: BgpRecord) => choice.config?.peerGroups.length ?? 0,
  k8gobgp_dynamic_neighbors_configured: ({ choice }: BgpRecord) =>
    choice.config?.dynamicNeighbors.length ?? 0,
  k8gobgp_vrfs_configured: () => 0,
  k8gobgp_policies_configured: ({ choice }: BgpRecord) => choice.config?.policies.length ?? 0,
  k8gobgp_defined_sets_configured: ({ choice }: BgpRecord) =>
    choice.config?.definedSets.length ?? 0,
  k8gobgp_configuration_ready: ({ state, failures, choice }: BgpRecord) =>
    Number(state !== undefined && failures.length === 0 && choice.config !== undefined),
} as const satisfies Partial<Record<Name, (record: BgpRecord) => number>>;

const totals = {
  k8gobgp_neighbors_total: ({ state }: BgpRecord) => state?.peers.length ?? 0,
  k8gobgp_neighbors_established_total: (record: BgpRecord) => countState(record, 'Established'),
  k8gobgp_neighbors_active: (record: BgpRecord) => countState(record, 'Active'),
  k8gobgp_neighbors_idle: (record: BgpRecord) => countState(record, 'Idle'),
  k8gobgp_routes_received_total: (record: BgpRecord) => sumOf(record, 'received'),
  k8gobgp_routes_accepted_total: (record: BgpRecord) => sumOf(record, 'accepted'),
  k8gobgp_routes_advertised_total: (record: BgpRecord) => sumOf(record, 'advertised'),
} as const satisfies Partial<Record<Name, (record: BgpRecord) => number>>;

function countState({ state }: BgpRecord, wanted: string): number {
  return state?.peers.filter((peer) => peer.state === wanted).length ?? 0;
}

function sumOf({ state }: BgpRecord, field: 'received' | 'accepted' | 'advertised'): number {
  return state?.peers.reduce((sum, peer) => sum + peer[field], 0) ?? 0;
}

/** By upstream's names, on a port of their own. */
export class BgpMetrics {
  readonly #passes: MetricFamily<Counter, string>;
  readonly #durations: MetricFamily<Histogram, string>;
  readonly #perObject: ReadonlyMap<keyof typeof perObject, MetricFamily<Gauge, string>>;
  readonly #totals: ReadonlyMap<keyof typeof totals, Gauge>;
  readonly #connection: MetricFamily<Gauge, string>;
  readonly #connectionErrors: MetricFamily<Counter, string>;
  readonly #routes: MetricFamily<Gauge, string>;
  readonly #resolutions: MetricFamily<Counter, string>;
  readonly #sources: MetricFamily<Gauge, string>;
  readonly #info: MetricFamily<Gauge, string>;
  readonly #applyErrors: MetricFamily<Counter, string>;
  readonly #restartRequired: MetricFamily<Gauge, string>;
  readonly statusWrites: MetricFamily<Counter, string>;
  readonly #statusWrittenAt: Gauge;

  constructor(metrics: Metrics) {
    const gauges = (name: Name) => metrics.gauges(describe(name));
    const counters = (name: Name) => metrics.counters(describe(name));
    const keysOf = <T extends object>(table: T) => Object.keys(table) as (keyof T)[];
    this.#passes = counters('k8gobgp_reconcile_total');
    const { buckets } = names.k8gobgp_reconcile_duration_seconds as Metric;
    this.#durations = metrics.histograms({
      ...describe('k8gobgp_reconcile_duration_seconds'),
      ...(buckets === undefined ? {} : { buckets }),
    });
    this.#perObject = new Map(keysOf(perObject).map((name) => [name, gauges(name)]));
    this.#totals = new Map(
      keysOf(totals).map((name) => [name, metrics.gauge({ name, help: names[name].help })]),
    );
    this.#connection = gauges('k8gobgp_gobgpd_connection_status');
    this.#connectionErrors = counters('k8gobgp_gobgpd_connection_errors_total');
    this.#routes = gauges('k8gobgp_rib_route_count');
    this.#resolutions = counters('k8gobgp_router_id_resolution_total');
    this.#sources = gauges('k8gobgp_router_id_source');
    this.#info = gauges('k8gobgp_router_id_info');
    this.#applyErrors = counters('k8gobgp_peer_apply_errors_total');
    this.#restartRequired = gauges('k8gobgp_global_restart_required');
    this.statusWrites = counters('k8gobgp_nodestatus_write_total');
    const writtenAt = 'k8gobgp_nodestatus_last_successful_write_timestamp';
    this.#statusWrittenAt = metrics.gauge({ name: writtenAt, help: names[writtenAt].help });
  }

  notePass(object: ObjectLabels, record: BgpRecord, seconds: number): void {
    this.#passes.with({ ...object, result: resultOf(record) }).add();
    this.#durations.with(object).observe(seconds);
  }

  noteConnection(endpoint: string, isUp: boolean): void {
    this.#connection.with({ endpoint }).set(Number(isUp));
    if (!isUp) this.#connectionErrors.with({ endpoint }).add();
  }

  noteRouterId(isFound: boolean): void {
    this.#resolutions.with({ result: isFound ? 'success' : 'failure' }).add();
  }

  noteApplyError(key: string, op: string): void {
    this.#applyErrors.with({ key, op }).add();
  }

  noteStatusWritten(nowMs: number): void {
    this.#statusWrittenAt.set(nowMs / 1000);
  }

  note(record: BgpRecord, node: string): void {
    for (const [name, gauge] of this.#totals) gauge.set(totals[name](record));
    for (const family of ['ipv4', 'ipv6'] as const) {
      const own = record.state?.paths.filter((path) => familyOfPath(path) === family) ?? [];
      const learnt = record.learnt.filter((path) => familyOfPath(path) === family);
      this.#routes.with({ family: `${family}_unicast` }).set(own.length + learnt.length);
    }
    this.#noteObject(record);
    this.#noteIdentity(record, node);
  }

  #noteObject(record: BgpRecord): void {
    const identity = record.choice.chosen?.identity;
    for (const [name, family] of this.#perObject) {
      family.clear();
      if (identity === undefined) continue;
      const labels = { name: identity.name, namespace: identity.namespace };
      family.with(labels).set(perObject[name](record));
    }
    this.#restartRequired.clear();
    if (identity === undefined) return;
    for (const field of record.needsRestart) {
      const labels = { field, name: identity.name, namespace: identity.namespace };
      this.#restartRequired.with(labels).set(1);
    }
  }

  #noteIdentity({ routerId, state }: BgpRecord, node: string): void {
    for (const source of routerIdSources) {
      this.#sources.with({ source }).set(Number(routerId?.source === (source as RouterIdSource)));
    }
    this.#info.clear();
    if (routerId === undefined) return;
    const asn = String(state?.identity?.asn ?? 0);
    this.#info.with({ router_id: routerId.ip, source: routerId.source, node, asn }).set(1);
  }
}

function describe(name: Name) {
  const { help, labels } = names[name] as Metric;
  return { name, help, labels };
}

function resultOf({ choice, state, failures }: BgpRecord): string {
  if (choice.problems.length > 0) return 'validation_failed';
  if (state === undefined) return 'connection_failed';
  return failures.length > 0 ? 'failed' : 'success';
}
