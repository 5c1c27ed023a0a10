/** The part of the agent that speaks BGP, where a daemon stands beside it. */

import { serveBgp } from '../bgp/bgp-http.ts';
import { BgpMetrics } from '../bgp/bgp-metrics.ts';
import { BgpPart } from '../bgp/bgp-part.ts';
import type { BgpSetup } from '../bgp/bgp-setup.ts';
import { openSpeaker } from '../bgp/open-speaker.ts';
import { NetlinkRouteTable } from '../linux/route-table.ts';
import { logWatch } from '../program/log-watch.ts';
import type { ProgramSetup } from '../program/run-program.ts';
import { Metrics } from '../runtime/metrics.ts';
import type { AgentOptions } from './agent-options.ts';

type Setup = ProgramSetup<AgentOptions>;

export interface StartedBgp {
  readonly part: BgpPart;
  readonly metrics: Metrics;
}

/** Undefined where there is no daemon. */
export function makeBgp(
  setup: Setup,
  hands: Pick<BgpSetup, 'cluster' | 'events' | 'kernel'>,
): StartedBgp | undefined {
  const { options, clock, random, log, lifecycle } = setup;
  const { gobgpEndpoint: endpoint, nodeName: node, namespace } = options;
  if (endpoint === '') return undefined;
  const speaker = openSpeaker(endpoint, clock);
  lifecycle.onStop('BGP daemon', () => speaker.close());
  const metrics = new Metrics((metric, error) => log.error('Metric failed', { metric, error }));
  const routes = new NetlinkRouteTable(hands.kernel);
  lifecycle.onStop('routes', () => routes.close());
  const part = new BgpPart({
    ...hands,
    routes,
    speaker,
    clock,
    random,
    log,
    metrics: new BgpMetrics(metrics),
    node,
    installNamespace: namespace,
    endpoint,
    observe: (what, observation) => logWatch(log, what, observation),
  });
  return { part, metrics };
}

export async function startBgpHttp(
  { options, clock, log, lifecycle }: Setup,
  { part, metrics }: StartedBgp,
): Promise<void> {
  const { host, bgpMetricsPort: metricsPort, bgpHealthPort: healthPort } = options;
  const { gobgpdMetrics: daemonMetrics, gobgpdMetricsPort: daemonPort } = options;
  const ports = { metricsPort, healthPort, daemonMetrics, daemonPort };
  const close = await serveBgp(part, { host, ...ports, metrics, clock, log });
  lifecycle.onStop('BGP ports', close);
}
