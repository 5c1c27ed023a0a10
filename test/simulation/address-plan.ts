/** The simulated network: one segment in both families, a gateway, pools from 100 on. */

import { type Ip, ipOf } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import type { Route } from '../../src/model/route.ts';

export const gateways = { ipv4: ipOf('192.0.2.1'), ipv6: ipOf('2001:db8:1::1') } as const;

/** The pools of the segment. */
export const defaultGroup: KubeObject = {
  apiVersion: 'purelb.io/v2',
  kind: 'ServiceGroup',
  metadata: { name: 'default', namespace: 'purelb-system' },
  spec: {
    local: {
      v4pools: [{ subnet: '192.0.2.0/24', pool: '192.0.2.100-192.0.2.199' }],
      v6pools: [{ subnet: '2001:db8:1::/64', pool: '2001:db8:1::100-2001:db8:1::1ff' }],
    },
  },
};

/** Addresses that Services have here. */
export function isInPools(ip: string): boolean {
  return /^192\.0\.2\.1\d\d$/.test(ip) || /^2001:db8:1::[12][\da-f]{2}$/.test(ip);
}

export function nodeAddresses(number: number): readonly string[] {
  return [`192.0.2.${10 + number}/24`, `2001:db8:1::${10 + number}/64`];
}

export function ipsOfNode(number: number): readonly Ip[] {
  return nodeAddresses(number).map((address) => ipOf(address.replace(/\/.*/, '')));
}

export function defaultRoute(linkIndex: number): readonly Route[] {
  return (['ipv4', 'ipv6'] as const).map((family) => ({
    family,
    nextHops: [{ linkIndex, gateway: gateways[family], weight: 1 }],
    metric: family === 'ipv4' ? 0 : 1024,
    table: 254,
    protocol: 4,
    type: 'unicast',
    scope: 0,
  }));
}
