import type { AcceptedPools, GroupVerdict } from '../decide/allocation/accept-pools.ts';
import type { AllocationPlan, Count, PoolOutcome } from '../decide/allocation/allocation-plan.ts';
import { kindOfGroup } from '../decide/allocation/group-scope.ts';
import type { ExternalCall } from '../ipam/external-source.ts';
import { ApiError, isConflict, isForbidden } from '../kube/api-error.ts';
import { kubeMetrics as kube, type Metric, allocatorMetrics as pools } from '../model/metrics.ts';
import type { Counter, Gauge, Histogram } from '../runtime/metric.ts';
import type { MetricFamily } from '../runtime/metric-family.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Observation } from './source-line.ts';

type Counters = MetricFamily<Counter, string>;
type TimedMetric =
  | 'purelb_allocator_source_call_duration_seconds'
  | 'purelb_allocator_sidecar_rpc_duration_seconds';
type Gauges = MetricFamily<Gauge, string>;

/** Gauges tell the last plan; counters only what was written. */
export class AllocatorMetrics {
  readonly #size: Gauges;
  readonly #inUse: Gauges;
  readonly #outOfScope: Gauges;
  readonly #rejected: Counters;
  readonly #byCount: Readonly<Record<Exclude<Count['what'], 'rejected'>, Counters>>;
  readonly #statusWrites: Counters;
  readonly #isConfigLoaded: Gauge;
  readonly #sourceCalls: Counters;
  readonly #sourceSeconds: MetricFamily<Histogram, string>;
  readonly #sourceReady: Gauges;
  readonly #sidecarCalls: Counters;
  readonly #sidecarSeconds: MetricFamily<Histogram, string>;
  readonly reconciliations: Counter;
  readonly failures: Counter;

  constructor(metrics: Metrics) {
    const gauges = (name: keyof typeof pools) => metrics.gauges(describe(name, pools[name]));
    const counters = (name: keyof typeof pools) => metrics.counters(describe(name, pools[name]));
    const single = (name: keyof typeof kube) => ({ name, help: kube[name].help });
    this.#size = gauges('purelb_address_pool_size');
    this.#inUse = gauges('purelb_address_pool_addresses_in_use');
    this.#outOfScope = gauges('purelb_servicegroups_out_of_scope');
    this.#rejected = counters('purelb_address_pool_allocation_rejected_total');
    this.#byCount = {
      multipool: counters('purelb_address_pool_multipool_allocations_total'),
      multipoolPartial: counters('purelb_address_pool_multipool_partial_total'),
      balanced: counters('purelb_address_pool_balance_pools_allocations_total'),
    };
    this.#statusWrites = counters('purelb_allocator_sg_status_writes_total');
    this.#sourceCalls = counters('purelb_allocator_source_calls_total');
    const histograms = (name: TimedMetric) =>
      metrics.histograms({ ...describe(name, pools[name]), buckets: pools[name].buckets });
    this.#sourceSeconds = histograms('purelb_allocator_source_call_duration_seconds');
    this.#sidecarSeconds = histograms('purelb_allocator_sidecar_rpc_duration_seconds');
    this.#sidecarCalls = counters('purelb_allocator_sidecar_rpc_total');
    this.#sourceReady = gauges('purelb_allocator_source_ready');
    this.reconciliations = metrics.counter(single('purelb_k8s_client_updates_total'));
    this.failures = metrics.counter(single('purelb_k8s_client_update_errors_total'));
    this.#isConfigLoaded = metrics.gauge(single('purelb_k8s_client_config_loaded_bool'));
  }

  notePlan(plan: AllocationPlan, { verdicts }: AcceptedPools): void {
    this.reconciliations.add();
    this.#isConfigLoaded.set(1);
    const all = [this.#size, this.#inUse, this.#outOfScope, this.#sourceReady];
    for (const family of all) family.clear();
    for (const outcome of plan.pools) this.#notePool(outcome);
    for (const verdict of verdicts) this.#noteScope(verdict);
  }

  #notePool({ pool, allocated, available, report }: PoolOutcome): void {
    if (report !== undefined) {
      this.#sourceReady.with({ pool: pool.name }).set(report.isReady ? 1 : 0);
    }
    const inUse = allocated.ipv4 + allocated.ipv6;
    this.#inUse.with({ pool: pool.name }).set(inUse);
    if (available === undefined) return;
    this.#size.with({ pool: pool.name }).set(inUse + Number(available.ipv4 + available.ipv6));
  }

  #noteScope(verdict: GroupVerdict): void {
    if (!('refusal' in verdict) || verdict.refusal.reason !== 'OutsideInstallNamespace') return;
    const { namespace, name } = verdict.group.identity;
    this.#outOfScope.with({ namespace, name, type: kindOfGroup(verdict.group) }).set(1);
  }

  noteSourceCall({ pool, operation, outcome, tookMs }: Observation): void {
    this.#sourceCalls.with({ pool, operation, outcome }).add();
    this.#sourceSeconds.with({ pool, operation }).observe(tookMs / 1000);
  }

  noteSidecarCall({ socket, method, code, tookMs }: ExternalCall): void {
    this.#sidecarCalls.with({ socket, method, code }).add();
    this.#sidecarSeconds.with({ socket, method }).observe(tookMs / 1000);
  }

  count(counts: readonly Count[]): void {
    for (const count of counts) {
      const { pool } = count;
      if (count.what === 'rejected') this.#rejected.with({ pool, reason: count.reason }).add();
      else this.#byCount[count.what].with({ pool }).add();
    }
  }

  /** `error` undefined: it went well. */
  countStatusWrite(error?: unknown): void {
    this.#statusWrites.with({ outcome: outcomeOf(error) }).add();
    if (error !== undefined) this.failures.add();
  }
}

function outcomeOf(error: unknown): 'success' | 'conflict' | 'forbidden' | 'other' {
  if (error === undefined) return 'success';
  if (!(error instanceof ApiError)) return 'other';
  if (isConflict(error)) return 'conflict';
  return isForbidden(error) ? 'forbidden' : 'other';
}

function describe(name: string, { help, labels }: Metric) {
  return { name, help, labels };
}
