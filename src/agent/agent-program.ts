/** The agent as a program: what it stands on, what it serves over HTTP, how it starts and ends. */

import type { ApiServerConfig } from '../kube/api-server-config.ts';
import { EventRecorder } from '../kube/event-recorder.ts';
import { HttpCluster } from '../kube/http-cluster.ts';
import { HttpsTransport } from '../kube/https-transport.ts';
import { NetlinkKernel } from '../linux/netlink-kernel.ts';
import { PacketNeighbours } from '../linux/packet-neighbours.ts';
import { type Ip, parseIp } from '../model/ip.ts';
import { isProblem } from '../model/parsed.ts';
import type { Clock } from '../runtime/clock.ts';
import { HttpRoutes } from '../runtime/http-routes.ts';
import { type HttpServer, startHttpServer } from '../runtime/http-server.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import type { Log } from '../runtime/log.ts';
import { Metrics } from '../runtime/metrics.ts';
import { addProcessMetrics } from '../runtime/process-metrics.ts';
import { Agent } from './agent.ts';
import { livenessOf, readinessOf } from './agent-health.ts';
import { AgentMetrics } from './agent-metrics.ts';
import type { AgentOptions } from './agent-options.ts';
import { describeState } from './agent-state.ts';

export interface ProgramSetup {
  /** `namespace` is the one that was found, not only the one that was told. */
  readonly options: AgentOptions;
  readonly apiServer: ApiServerConfig;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
}

export interface RunningProgram {
  readonly agent: Agent;
  /** The real one, also where 0 was asked for. */
  readonly port: number;
}

/** Longest wait for Events that are still to be sent when it ends. */
const lastEventsMs = 1_000;
/** The kernel, a question to the API server, answers to what was sent, and a little. */
const endWithinMs = 8_000;

/** Started when it resolves: what was left here is kept alive, and the cluster is being read. */
export async function startProgram(setup: ProgramSetup): Promise<RunningProgram> {
  const { options, lifecycle } = setup;
  const metrics = makeMetrics(setup);
  const agent = makeAgent(setup, metrics);
  await agent.adopt();
  const server = await serve(setup, agent, metrics);
  const running = agent.run(lifecycle.stopping);
  lifecycle.background('agent', running);
  lifecycle.onStop('agent', () => running, endWithinMs);
  setup.log.info('Watching', { node: options.nodeName, namespace: options.namespace });
  return { agent, port: server.port };
}

function makeMetrics({ log, lifecycle }: ProgramSetup): Metrics {
  const metrics = new Metrics((metric, error) => log.error('Metric failed', { metric, error }));
  lifecycle.onStop('process metrics', addProcessMetrics(metrics));
  return metrics;
}

function makeAgent(setup: ProgramSetup, metrics: Metrics): Agent {
  const { options, apiServer, clock, random, log, lifecycle } = setup;
  const kernel = new NetlinkKernel();
  lifecycle.onStop('kernel', () => kernel.close());
  const neighbours = new PacketNeighbours({ clock, identifier: Math.floor(random() * 65_536) });
  lifecycle.onStop('neighbours', () => neighbours.close());
  const transport = new HttpsTransport(apiServer, clock);
  lifecycle.onStop('connections', () => transport.close());
  const cluster = new HttpCluster({ transport, clock, userAgent: 'purelb-agent' });
  const events = new EventRecorder({
    cluster,
    clock,
    random,
    controller: 'purelb-lbnodeagent',
    instance: options.nodeName,
    onDropped: ({ reason, note }, why) => log.warn('Event dropped', { reason, note, why }),
  });
  lifecycle.onStop('events', () => events.stop(lastEventsMs));
  return new Agent({
    cluster,
    kernel,
    neighbours,
    events,
    clock,
    random,
    log,
    metrics: new AgentMetrics(metrics),
    node: options.nodeName,
    installNamespace: options.namespace,
    instance: options.podUid || randomInstance(random),
    leaseDurationMs: options.leaseDurationMs,
    daemonSet: options.daemonSet,
    apiServers: findApiServerIps(apiServer),
  });
}

async function serve(
  { options, clock, log, lifecycle }: ProgramSetup,
  agent: Agent,
  metrics: Metrics,
): Promise<HttpServer> {
  const routes = new HttpRoutes()
    .addMetrics(metrics)
    .addHealth('/healthz', livenessOf(agent, clock))
    .addHealth('/readyz', readinessOf(agent))
    .addJson('/state', (query) => describeState(agent, query));
  const { host, port } = options;
  const onError = (where: string, error: unknown) => log.error('Request failed', { where, error });
  const server = await startHttpServer({ host, port, routes, clock, onError });
  lifecycle.onStop('http server', () => server.close());
  return server;
}

/** Two processes on one node must not be taken for one, also outside of pods. */
function randomInstance(random: () => number): string {
  const word = () => Math.floor(random() * 2 ** 32).toString(16);
  return `${word().padStart(8, '0')}${word().padStart(8, '0')}`;
}

/** No aggregate may cut us off from it; a name is resolved by the machine, and not watched. */
function findApiServerIps({ server }: ApiServerConfig): readonly Ip[] {
  const host = new URL(server).hostname.replace(/^\[|\]$/g, '');
  const ip = parseIp(host);
  return isProblem(ip) ? [] : [ip.value];
}
