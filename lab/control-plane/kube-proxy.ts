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

/** Changes come one by one in the lab, and are waited for; the default is to gather them for a second. */
const minSyncPeriod = '50ms';

/** Zero leaves the machine's connection tracking limits alone: a namespace other than the first may not set them. */
export function kubeProxyConfiguration(options: KubeProxyOptions) {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: options.mode ?? 'nftables',
    hostnameOverride: options.node,
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
