/** The allocator as a program: what it stands on, what it serves over HTTP, how it starts and ends. */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Cluster } from '../kube/cluster.ts';
import { loadBalancerClasses } from '../model/well-known-names.ts';
import { openCluster } from '../program/open-cluster.ts';
import type { ProgramSetup } from '../program/run-program.ts';
import { livenessOf, makeMetrics, serveHttp } from '../program/serve-http.ts';
import type { Log } from '../runtime/log.ts';
import { Allocator } from './allocator.ts';
import { readinessOf } from './allocator-health.ts';
import { AllocatorMetrics } from './allocator-metrics.ts';
import type { AllocatorOptions } from './allocator-options.ts';
import { describeState } from './allocator-state.ts';
import { keepPeerKey } from './peer-key.ts';
import { sourceKinds } from './source-kinds.ts';

export interface RunningProgram {
  readonly allocator: Allocator;
  /** The real one, also where 0 was asked for. */
  readonly port: number;
}

/** Answers to what was sent, the release of the Lease, and a little. */
const endWithinMs = 8_000;

/** Started when it resolves: watching and standing for election; the lifecycle ends it. */
export async function startProgram(setup: ProgramSetup<AllocatorOptions>): Promise<RunningProgram> {
  const { options, clock, random, log, lifecycle } = setup;
  const metrics = makeMetrics(setup);
  const controller = 'purelb-allocator';
  const reporter = { userAgent: controller, controller, instance: hostname() };
  const opened = openCluster(setup, reporter);
  const { netboxToken } = options;
  const counters = new AllocatorMetrics(metrics);
  const allocator = new Allocator({
    ...opened,
    openSource: sourceKinds({
      cluster: opened.cluster,
      clock,
      random,
      netboxToken,
      observe: (call) => counters.noteSidecarCall(call),
    }),
    clock,
    random,
    log,
    metrics: counters,
    installNamespace: options.namespace,
    settings: {
      classes: loadBalancerClasses,
      isDefaultAnnouncer: options.isDefaultAnnouncer,
      convergesUnasked: false,
    },
    election: electionFor(options, random, log),
    whileLeading: (leadership) => keepKey(setup, opened, leadership),
  });
  const { port } = await serveHttp(setup, {
    metrics,
    liveness: livenessOf(allocator.reconciler, clock),
    readiness: readinessOf(allocator),
    state: (query) => describeState(allocator, query),
  });
  const running = allocator.run(lifecycle.stopping);
  lifecycle.background('allocator', running);
  lifecycle.onStop('allocator', () => running, endWithinMs);
  return { allocator, port };
}

/** Without a namespace there is no place for it. */
async function keepKey(
  { options, clock, log }: ProgramSetup<AllocatorOptions>,
  { cluster }: { readonly cluster: Cluster },
  leadership: AbortSignal,
): Promise<void> {
  const { namespace } = options;
  const drawKey = () => randomBytes(32);
  if (namespace !== '') await keepPeerKey({ cluster, clock, log, namespace, drawKey }, leadership);
}

/** A Lease needs a namespace to be in; without one there can be no second allocator. */
function electionFor(options: AllocatorOptions, random: () => number, log: Log) {
  const { namespace, isElecting, leaseName, leaseDurationMs: durationMs } = options;
  if (!isElecting) return undefined;
  if (namespace === '') {
    log.warn('Leading without election, because the install namespace is not known', {
      advice: 'set --namespace or PURELB_NAMESPACE, or never run a second allocator',
    });
    return undefined;
  }
  const suffix = Math.floor(random() * 2 ** 32).toString(16);
  return { namespace, leaseName, identity: `${hostname()}_${suffix.padStart(8, '0')}`, durationMs };
}
