/** Metrics and health of BGP, on ports of their own as upstream has them. */

import type { Clock } from '../runtime/clock.ts';
import { getPage } from '../runtime/get-page.ts';
import { HealthChecks } from '../runtime/health.ts';
import { HttpRoutes, metricsSlots, reply } from '../runtime/http-routes.ts';
import { type HttpServer, startHttpServer } from '../runtime/http-server.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { BgpPart } from './bgp-part.ts';

export interface BgpHttpOptions {
  readonly host: string;
  readonly metricsPort: number;
  readonly healthPort: number;
  /** Where the daemon tells metrics of its own; empty: they are not passed on. */
  readonly daemonMetrics: string;
  readonly daemonPort: number;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** Both servers; nobody needs one that cannot listen, and the agent goes on without it. */
export async function serveBgp(
  part: Pick<BgpPart, 'isConnected' | 'unsynced'>,
  options: BgpHttpOptions,
): Promise<() => Promise<void>> {
  const { host, metricsPort, healthPort, daemonMetrics, daemonPort, metrics, clock, log } = options;
  const onError = (where: string, error: unknown) => log.error('Request failed', { where, error });
  const servers: HttpServer[] = [];
  const start = async (port: number, routes: HttpRoutes) => {
    try {
      servers.push(await startHttpServer({ host, port, routes, clock, onError }));
    } catch (error) {
      log.error('BGP port cannot be listened on', { port, error });
    }
  };
  await start(metricsPort, new HttpRoutes().addMetrics(metrics));
  await start(
    healthPort,
    new HttpRoutes()
      .addHealth('/healthz', new HealthChecks())
      .addHealth('/readyz', readinessOf(part)),
  );
  if (daemonMetrics !== '') await start(daemonPort, passOn(daemonMetrics));
  return async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
}

/** Longer than anybody waits for metrics. */
const withinMs = 5_000;

/** The daemon listens on the node's loopback alone, where nobody can ask it from elsewhere. */
export function passOn(url: string): HttpRoutes {
  const route = async () => {
    try {
      const { status, type, body } = await getPage(url, withinMs);
      return reply(status, body, type);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      return reply(502, `the BGP daemon does not tell its metrics: ${words}\n`);
    }
  };
  return new HttpRoutes().add('/metrics', route, metricsSlots());
}

/** Whether sessions are up is no part of it: without a router there are none, and nothing is wrong. */
function readinessOf(part: Pick<BgpPart, 'isConnected' | 'unsynced'>): HealthChecks {
  return new HealthChecks()
    .add('gobgpd', () => (part.isConnected ? undefined : 'the BGP daemon does not answer'))
    .add('synced', () =>
      part.unsynced.length === 0 ? undefined : `not read yet: ${part.unsynced.join(', ')}`,
    );
}
