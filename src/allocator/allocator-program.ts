/** The allocator as a program: what it stands on, what it serves over HTTP, how it starts and ends. */

import { hostname } from 'node:os';
import type { ApiServerConfig } from '../kube/api-server-config.ts';
import { EventRecorder } from '../kube/event-recorder.ts';
import { HttpCluster } from '../kube/http-cluster.ts';
import { HttpsTransport } from '../kube/https-transport.ts';
import { loadBalancerClasses } from '../model/well-known-names.ts';
import type { Clock } from '../runtime/clock.ts';
import { HttpRoutes } from '../runtime/http-routes.ts';
import { type HttpServer, startHttpServer } from '../runtime/http-server.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import type { Log } from '../runtime/log.ts';
import { Metrics } from '../runtime/metrics.ts';
import { addProcessMetrics } from '../runtime/process-metrics.ts';
import { Allocator } from './allocator.ts';
import { livenessOf, readinessOf } from './allocator-health.ts';
import { AllocatorMetrics } from './allocator-metrics.ts';
import type { AllocatorOptions } from './allocator-options.ts';
import { describeState } from './allocator-state.ts';

export interface ProgramSetup {
  /** `namespace` is the one that was found, not only the one that was told. */
  readonly options: AllocatorOptions;
  readonly apiServer: ApiServerConfig;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
}

export interface RunningProgram {
  readonly allocator: Allocator;
  /** The real one, also where 0 was asked for. */
  readonly port: number;
}

/** Longest wait for Events that are still to be sent when it ends. */
const lastEventsMs = 1_000;
/** Answers to what was sent, the release of the Lease, and a little. */
const endWithinMs = 8_000;

/** Started when it resolves: watching and standing for election; the lifecycle ends it. */
export async function startProgram(setup: ProgramSetup): Promise<RunningProgram> {
  const { options, apiServer, clock, random, log, lifecycle } = setup;
  const transport = new HttpsTransport(apiServer, clock);
  lifecycle.onStop('connections', () => transport.close());
  const cluster = new HttpCluster({ transport, clock, userAgent: 'purelb-allocator' });
  const metrics = new Metrics((metric, error) => log.error('Metric failed', { metric, error }));
  lifecycle.onStop('process metrics', addProcessMetrics(metrics));
  const events = new EventRecorder({
    cluster,
    clock,
    random,
    controller: 'purelb-allocator',
    instance: hostname(),
    onDropped: ({ reason, note }, why) => log.warn('Event dropped', { reason, note, why }),
  });
  lifecycle.onStop('events', () => events.stop(lastEventsMs));
  const allocator = new Allocator({
    cluster,
    clock,
    random,
    log,
    metrics: new AllocatorMetrics(metrics),
    events,
    installNamespace: options.namespace,
    settings: {
      classes: loadBalancerClasses,
      isDefaultAnnouncer: options.isDefaultAnnouncer,
      convergesUnasked: false,
    },
    election: electionFor(options, random, log),
  });
  const server = await serve(setup, allocator, metrics);
  const running = allocator.run(lifecycle.stopping);
  lifecycle.background('allocator', running);
  lifecycle.onStop('allocator', () => running, endWithinMs);
  return { allocator, port: server.port };
}

async function serve(
  { options, clock, log, lifecycle }: ProgramSetup,
  allocator: Allocator,
  metrics: Metrics,
): Promise<HttpServer> {
  const routes = new HttpRoutes()
    .addMetrics(metrics)
    .addHealth('/healthz', livenessOf(allocator, clock))
    .addHealth('/readyz', readinessOf(allocator))
    .addJson('/state', (query) => describeState(allocator, query));
  const { host, port } = options;
  const onError = (where: string, error: unknown) => log.error('Request failed', { where, error });
  const server = await startHttpServer({ host, port, routes, clock, onError });
  lifecycle.onStop('http server', () => server.close());
  return server;
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
