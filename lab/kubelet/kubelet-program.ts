/**
 * `node lab/kubelet/kubelet-program.ts JSON`, on a node of the lab: its kubelet and, where no kube-proxy runs there,
 * its forwarder.
 */

import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { findApiServer } from '../../src/kube/find-api-server.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { Forwarder } from '../forwarder/forwarder.ts';
import { Heartbeat } from './heartbeat.ts';
import { Kubelet } from './kubelet.ts';
import { serveKubelet } from './kubelet-server.ts';
import type { NodeFacts } from './node-object.ts';

export interface KubeletConfig {
  readonly facts: NodeFacts;
  readonly kubeconfig: string;
  readonly heartbeatMs: number;
  /** Where others ask for logs. */
  readonly socket: string;
  /** The subnets of all pods, if it is to forward; else kube-proxy does. */
  readonly forwarding?: { readonly podCidrs: readonly string[] };
}

const config = JSON.parse(process.argv[2] ?? '{}') as KubeletConfig;
const { facts, kubeconfig, heartbeatMs, socket, forwarding } = config;
const say = (text: string) => process.stdout.write(`${text}\n`);
const onError = (error: unknown) => say(error instanceof Error ? error.message : String(error));

const clock = new SystemClock();
const { signal } = new AbortController();
const random = Math.random;
const server = await findApiServer({ env: process.env, kubeconfig });
const { cluster } = connectCluster(server, clock, 'lab-kubelet');
const kubelet = new Kubelet({ cluster, clock, random, facts, onError });
const heartbeat = new Heartbeat({ cluster, clock, facts, everyMs: heartbeatMs, onError });
await serveKubelet(kubelet, socket);
void kubelet.run(signal);
void heartbeat.run(signal);
if (forwarding !== undefined) {
  const { podCidrs } = forwarding;
  const node = facts.name;
  void new Forwarder({ cluster, clock, random, node, podCidrs, onError }).run(signal);
}
say('started');
