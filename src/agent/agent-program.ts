/** The agent as a program: what it stands on, what it serves over HTTP, how it starts and ends. */

import { randomBytes } from 'node:crypto';
import type { ApiServerConfig } from '../kube/api-server-config.ts';
import { readArpSettings } from '../linux/arp-settings.ts';
import { KubeProxyForwarding } from '../linux/kube-proxy-forwarding.ts';
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
import { KeyFiles } from './key-files.ts';
import { KeyRing } from './key-ring.ts';
import { makeBgp, type StartedBgp, startBgpHttp } from './start-bgp.ts';
import { UdpDatagrams } from './udp-datagrams.ts';
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
  await startKeys(setup, agent);
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

/** Before anybody is listened to. */
async function startKeys({ options, clock, log, lifecycle }: Setup, agent: Agent): Promise<void> {
  const directory = options.peerKeyDir;
  const onChange = () => agent.reconciler.wake('node');
  const keys = new KeyFiles({ directory, ring: agent.parts.keys, clock, log, onChange });
  lifecycle.onStop('keys', () => keys.stop());
  await keys.start();
}

function makeAgent(setup: Setup, metrics: Metrics): { agent: Agent; bgp: StartedBgp | undefined } {
  const { options, apiServer, clock, random, log, lifecycle } = setup;
  const kernel = new NetlinkKernel();
  lifecycle.onStop('kernel', () => kernel.close());
  const neighbours = new PacketNeighbours({ clock, identifier: Math.floor(random() * 65_536) });
  lifecycle.onStop('neighbours', () => neighbours.close());
  const datagrams = new UdpDatagrams(log);
  const keys = new KeyRing();
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
    datagrams,
    keys,
    ...openFilter(lifecycle),
    clock,
    pulse: ownPulse,
    random,
    drawNumber,
    log,
    metrics: new AgentMetrics(metrics),
    node: options.nodeName,
    installNamespace: options.namespace,
    instance: options.podUid || randomInstance(),
    leaseDurationMs: options.leaseDurationMs,
    daemonSet: options.daemonSet,
    apiServers: findApiServerIps(apiServer),
    podName: options.podName,
    readArpSettings,
    bgp: bgp?.part,
  });
  const { hints, ear } = agent.parts;
  registerWireMetrics(metrics, { neighbours, datagrams, keys, hints, ear });
  return { agent, bgp };
}

/** The kernel's packet filter: our own table, and kube-proxy's. */
function openFilter(lifecycle: Setup['lifecycle']) {
  const guard = new NftablesGuard();
  const forwarding = new KubeProxyForwarding();
  for (const [name, each] of Object.entries({ guard, forwarding })) {
    lifecycle.onStop(name, () => each.close());
  }
  return { guard, forwarding };
}

/** Two processes on one node must not be taken for one, also outside of pods. */
function randomInstance(): string {
  return randomBytes(8).toString('hex');
}

/** By chance that nobody can guess: an answer is believed by the number of its question. */
function drawNumber(): number {
  return randomBytes(6).readUIntBE(0, 6);
}

/** No aggregate may cut us off from it; a name is resolved by the machine, and not watched. */
function findApiServerIps({ server }: ApiServerConfig): readonly Ip[] {
  const host = new URL(server).hostname.replace(/^\[|\]$/g, '');
  const ip = parseIp(host);
  return isProblem(ip) ? [] : [ip.value];
}
