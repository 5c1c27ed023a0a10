/** A real kube-proxy on a node of the lab: it turns Services and EndpointSlices into packet rules there. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binaryPath } from './binaries.ts';
import { Daemon } from './daemon.ts';

export interface KubeProxyOptions {
  /** Of a user that may list and watch what kube-proxy reads, such as `system:kube-proxy`. */
  readonly kubeconfig: string;
  /** The Node object that stands for the machine it runs on; kube-proxy waits until it exists. */
  readonly node: string;
  /** For its configuration and log. */
  readonly dir: string;
  /** The command that leads into the node's namespace, such as `ip netns exec NAME`. */
  readonly prefix?: readonly string[];
  readonly mode?: 'nftables' | 'iptables';
  /**
   * Where pods live. Without it kube-proxy cannot tell pods from other hosts, and drops what pods send to an address
   * with `externalTrafficPolicy: Local` on a node without endpoints.
   */
  readonly podCidrs?: readonly string[];
  /** For how long it gathers changes; short unless told otherwise. */
  readonly minSyncPeriod?: string;
}

/** Does not wait for the first rules: what they do is best seen from outside, by whoever waits for it. */
export async function startKubeProxy(options: KubeProxyOptions): Promise<Daemon> {
  return Daemon.start(kubeProxyCommand(options), {
    logFile: join(options.dir, `kube-proxy-${options.node}.log`),
    ...(options.prefix === undefined ? {} : { prefix: options.prefix }),
  });
}

/** Writes its configuration; for whoever starts it as a program of a host, with which it is to end. */
export function kubeProxyCommand(options: KubeProxyOptions): readonly string[] {
  mkdirSync(options.dir, { recursive: true });
  const config = join(options.dir, `kube-proxy-${options.node}.json`);
  writeFileSync(config, JSON.stringify(kubeProxyConfiguration(options)));
  return [binaryPath('kube-proxy'), `--config=${config}`];
}

/** Changes come one by one in the lab, and are waited for. */
const usualSyncPeriod = '50ms';
/** What kube-proxy does unless it is told otherwise. */
export const defaultSyncPeriod = '1s';

/** Zero leaves the machine's connection tracking limits alone: a namespace other than the first may not set them. */
export function kubeProxyConfiguration(options: KubeProxyOptions) {
  const { minSyncPeriod = usualSyncPeriod } = options;
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: options.mode ?? 'nftables',
    hostnameOverride: options.node,
    ...(options.podCidrs === undefined ? {} : { clusterCIDR: options.podCidrs.join(',') }),
    clientConnection: { kubeconfig: options.kubeconfig },
    conntrack: {
      maxPerCore: 0,
      min: 0,
      tcpEstablishedTimeout: '0s',
      tcpCloseWaitTimeout: '0s',
    },
    nftables: { minSyncPeriod },
    iptables: { minSyncPeriod },
    oomScoreAdj: 0,
  };
}
