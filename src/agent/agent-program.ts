/** The agent as a program: what it stands on, what it serves over HTTP, how it starts and ends. */

import type { ApiServerConfig } from '../kube/api-server-config.ts';
import { NetlinkKernel } from '../linux/netlink-kernel.ts';
import { NftablesGuard } from '../linux/nftables-guard.ts';
import { ownPulse } from '../linux/own-pulse.ts';
import { PacketNeighbours } from '../linux/packet-neighbours.ts';
import { type Ip, parseIp } from '../model/ip.ts';
import { isProblem } from '../model/parsed.ts';
import { openCluster } from '../program/open-cluster.ts';
import type { ProgramSetup } from '../program/run-program.ts';
import { livenessOf, makeMetrics, serveHttp } from '../program/serve-http.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { Agent } from './agent.ts';
import { readinessOf } from './agent-health.ts';
import { AgentMetrics } from './agent-metrics.ts';
import type { AgentOptions } from './agent-options.ts';
import { describeState } from './agent-state.ts';
import { makeBgp, type StartedBgp, startBgpHttp } from './start-bgp.ts';
import { UdpHints } from './udp-hints.ts';
import { registerWireMetrics } from './wire-metrics.ts';

type Setup = ProgramSetup<AgentOptions>;

export interface RunningProgram {
  readonly agent: Agent;
  /** The real one, also where 0 was asked for. */
  readonly port: number;
}

/** The kernel, a handover, questions to the API server, answers to what was sent, and a little. */
const endWithinMs = 25_000;

/** Started when it resolves: what was left here is kept alive, and the cluster is being read. */
export async function startProgram(setup: Setup): Promise<RunningProgram> {
  const { options, clock, lifecycle, log } = setup;
  const metrics = makeMetrics(setup);
  const { agent, bgp } = makeAgent(setup, metrics);
  await agent.adopt();
  const { port } = await serveHttp(setup, {
    metrics,
    liveness: livenessOf(agent.reconciler, clock),
    readiness: readinessOf(agent),
    state: (query) => describeState(agent, query),
  });
  if (bgp !== undefined) await startBgpHttp(setup, bgp);
  const running = agent.run(lifecycle.stopping);
  lifecycle.background('agent', running);
  lifecycle.onStop('agent', () => running, endWithinMs);
  log.info('Watching', { node: options.nodeName, namespace: options.namespace });
  return { agent, port };
}

function makeAgent(setup: Setup, metrics: Metrics): { agent: Agent; bgp: StartedBgp | undefined } {
  const { options, apiServer, clock, random, log, lifecycle } = setup;
  const kernel = new NetlinkKernel();
  lifecycle.onStop('kernel', () => kernel.close());
  const neighbours = new PacketNeighbours({ clock, identifier: Math.floor(random() * 65_536) });
  lifecycle.onStop('neighbours', () => neighbours.close());
  const hints = new UdpHints(log);
  registerWireMetrics(metrics, { neighbours, hints });
  const guard = new NftablesGuard();
  lifecycle.onStop('guard', () => guard.close());
  const { cluster, events } = openCluster(setup, {
    userAgent: 'purelb-agent',
    controller: 'purelb-lbnodeagent',
    instance: options.nodeName,
  });
  const bgp = makeBgp(setup, { cluster, events, kernel });
  const agent = new Agent({
    cluster,
    events,
    kernel,
    neighbours,
    hints,
    guard,
    clock,
    pulse: ownPulse,
    random,
    log,
    metrics: new AgentMetrics(metrics),
    node: options.nodeName,
    installNamespace: options.namespace,
    instance: options.podUid || randomInstance(random),
    leaseDurationMs: options.leaseDurationMs,
    daemonSet: options.daemonSet,
    apiServers: findApiServerIps(apiServer),
    podName: options.podName,
    bgp: bgp?.part,
  });
  return { agent, bgp };
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
