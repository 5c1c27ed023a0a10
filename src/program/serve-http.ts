/**
 * Over HTTP, read-only: metrics and health on a port that anyone may reach, state on a unix socket, because it names
 * every Service and address.
 */

import type { Clock } from '../runtime/clock.ts';
import { HealthChecks } from '../runtime/health.ts';
import { HttpRoutes, reply } from '../runtime/http-routes.ts';
import { type HttpServer, startHttpServer } from '../runtime/http-server.ts';
import { Metrics } from '../runtime/metrics.ts';
import { addProcessMetrics } from '../runtime/process-metrics.ts';
import type { Reconciler } from '../runtime/reconciler.ts';
import { startSocketServer } from '../runtime/socket-server.ts';
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

export async function serveHttp(setup: Setup, served: Served): Promise<HttpServer> {
  const { options, clock, log, lifecycle } = setup;
  const { metrics, liveness, readiness } = served;
  const routes = new HttpRoutes()
    .addMetrics(metrics)
    .addHealth('/healthz', liveness)
    .addHealth('/readyz', readiness)
    .add('/state', () => reply(404, movedState));
  const { host, port } = options;
  const server = await startHttpServer({ host, port, routes, clock, onError: tellError(log) });
  lifecycle.onStop('http server', () => server.close());
  await serveState(setup, served);
  return server;
}

const movedState = `state is not served on a port; print it in the container with its own program, such as
kubectl exec -n purelb-system POD -- node /purelb/agent.cjs state
`;

/** The program works without it: a manifest may have no folder for the socket. */
async function serveState({ options, clock, log, lifecycle }: Setup, { state }: Served) {
  const path = options.stateSocket;
  if (path === '') return;
  const routes = new HttpRoutes().addJson('/state', state);
  try {
    const server = await startSocketServer({ path, routes, clock, onError: tellError(log) });
    lifecycle.onStop('state socket', () => server.close());
  } catch (error) {
    log.warn('State cannot be read from this process', {
      error,
      advice: 'give it a folder that it can write to, see --state-socket',
    });
  }
}

function tellError(log: Setup['log']) {
  return (where: string, error: unknown) => log.error('Request failed', { where, error });
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
