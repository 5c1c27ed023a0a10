/** What a cluster has whose nodes tell a router by BGP where addresses are. */

import type { Cluster } from '../../src/kube/cluster.ts';
import { bgpConfigurations } from '../../src/kube/resources.ts';
import { formatPrefix, networkOf } from '../../src/model/prefix.ts';
import { readManifest } from '../manifest.ts';
import type { Host } from '../network/host.ts';
import type { Lab } from '../network/lab.ts';
import { nodesAsn, type RouterOptions, routerAsn } from '../router/router.ts';
import { create, createPatiently, installNamespace } from './installed-objects.ts';

/** In seconds: a node that dies without a word is missed for so long. */
const holdTime = 3;

const manifests = [
  'crds/bgp.purelb.io_bgpconfigurations',
  'crds/bgp.purelb.io_bgpnodestatuses',
  'bgp/rbac',
];

/** Nodes connect to the router by the address that it has on their LAN. */
export async function installBgp(cluster: Cluster, lab: Lab): Promise<void> {
  await Promise.all(manifests.flatMap(readManifest).map((object) => create(cluster, object)));
  const configuration = {
    metadata: { name: 'default', namespace: installNamespace },
    spec: {
      global: {
        asn: nodesAsn,
        listenPort: -1,
        gracefulRestart: { enabled: true, restartTime: 20 },
      },
      neighbors: lansOf(lab).map(({ segment, plan }) => ({
        config: { peerAsn: routerAsn, neighborAddress: plan.addresses[0]?.ip },
        timers: { config: { connectRetry: 1, holdTime, keepaliveInterval: 1 } },
        nodeSelector: { matchLabels: { 'topology.kubernetes.io/zone': segment.name } },
      })),
      netlinkImport: { enabled: true, interfaceList: ['kube-lb0'] },
    },
  };
  await createPatiently(cluster, configuration, bgpConfigurations);
}

export function siteRouterOptions(lab: Lab): RouterOptions {
  const networks = lansOf(lab).flatMap(({ plan }) => plan.addresses.map(networkOf));
  return { host: lab.router, nodes: networks.map(formatPrefix), holdTime };
}

function lansOf({ router, nodes }: Lab): Host['nics'] {
  const lans = new Set(nodes.map((node) => node.nic().segment));
  return router.nics.filter(({ segment }) => lans.has(segment));
}
