/** Metrics, health and state over HTTP, read-only. */

import type { Clock } from '../runtime/clock.ts';
import { HealthChecks } from '../runtime/health.ts';
import { HttpRoutes } from '../runtime/http-routes.ts';
import { type HttpServer, startHttpServer } from '../runtime/http-server.ts';
import { Metrics } from '../runtime/metrics.ts';
import { addProcessMetrics } from '../runtime/process-metrics.ts';
import type { Reconciler } from '../runtime/reconciler.ts';
import type { ProgramOptions, ProgramSetup } from './run-program.ts';

type Setup = ProgramSetup<ProgramOptions>;

export interface Served {
  readonly metrics: Metrics;
  /** Restarting would not help. */
  readonly liveness: HealthChecks;
  /** It does its work. */
  readonly readiness: HealthChecks;
  readonly state: (query: URLSearchParams) => unknown;
}

export async function serveHttp(
  { options, clock, log, lifecycle }: Setup,
  { metrics, liveness, readiness, state }: Served,
): Promise<HttpServer> {
  const routes = new HttpRoutes()
    .addMetrics(metrics)
    .addHealth('/healthz', liveness)
    .addHealth('/readyz', readiness)
    .addJson('/state', state);
  const { host, port } = options;
  const onError = (where: string, error: unknown) => log.error('Request failed', { where, error });
  const server = await startHttpServer({ host, port, routes, clock, onError });
  lifecycle.onStop('http server', () => server.close());
  return server;
}

/** With those of the process itself. */
export function makeMetrics({ log, lateness }: Setup): Metrics {
  const metrics = new Metrics((metric, error) => log.error('Metric failed', { metric, error }));
  addProcessMetrics(metrics, lateness);
  return metrics;
}

/** A run takes milliseconds; one that lasts so long will never end. */
const longestRunMs = 60_000;

export function livenessOf(reconciler: Pick<Reconciler<string>, 'state'>, clock: Clock) {
  return new HealthChecks().add('reconciler', () => {
    const { running } = reconciler.state;
    const ms = running === undefined ? 0 : clock.monotonic() - running.since;
    return ms < longestRunMs ? undefined : `has been at it for ${Math.round(ms / 1000)} s`;
  });
}
