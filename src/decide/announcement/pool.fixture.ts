/** Pools and the Services that hold addresses of them, in few words, for tests. */

import { type Ip, ipOf } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { must } from '../../model/parsed.ts';
import type { Pool } from '../../model/pool.ts';
import { readService } from '../../model/read-service.ts';
import { readServiceGroup } from '../../model/read-service-group.ts';

/** A v2 group of the kind that `spec` says. */
export function group(name: string, spec: object, apiVersion = 'purelb.io/v2'): Pool {
  return must(
    readServiceGroup({ apiVersion, metadata: { namespace: 'purelb', name, uid: name }, spec }),
  );
}

export const v4Range = { subnet: '192.0.2.0/24', pool: '192.0.2.100-192.0.2.139' };
export const v6Range = { subnet: '2001:db8::/64', pool: '2001:db8::100-2001:db8::139' };
export const v4FarRange = { subnet: '198.51.100.0/24', pool: '198.51.100.0/24' };
export const v6FarRange = { subnet: '2001:db8:ff::/64', pool: '2001:db8:ff::/120' };

/** Its addresses are used without a look at the wire; `checkedGroup` is the same with one. */
export const localGroup = group('local', {
  local: { v4pools: [v4Range], v6pools: [v6Range] },
  conflictCheck: { mode: 'Off' },
});
export const checkedGroup = group('local', { local: { v4pools: [v4Range], v6pools: [v6Range] } });
export const remoteGroup = group('remote', {
  remote: { v4pools: [v4FarRange], v6pools: [v6FarRange] },
});

export interface ServiceSpec {
  readonly from?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly deletionTimestamp?: string;
  readonly conditions?: readonly object[];
  /** False: the allocator has not said by a condition that it gave the addresses. */
  readonly isRecorded?: boolean;
}

/** `service('web', ['192.0.2.100'])`: a Service that the allocator gave addresses to. */
export function service(
  name: string,
  ingress: readonly string[],
  {
    from = 'local',
    annotations = {},
    spec = {},
    deletionTimestamp,
    conditions = [],
    isRecorded = true,
  }: ServiceSpec = {},
): LoadBalancer {
  return must(
    readService({
      metadata: {
        namespace: 'shop',
        name,
        uid: `uid-${name}`,
        resourceVersion: '7',
        annotations: {
          'purelb.io/allocated-by': 'PureLB',
          'purelb.io/allocated-from': from,
          ...annotations,
        },
        ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      },
      spec: { type: 'LoadBalancer', clusterIP: '203.0.113.1', ...spec },
      status: {
        loadBalancer: { ingress: ingress.map((ip) => ({ ip })) },
        conditions: [...(isRecorded ? [allocated(ingress, from)] : []), ...conditions],
      },
    }),
  );
}

export const ips = (...texts: readonly string[]): readonly Ip[] => texts.map(ipOf);

function allocated(ingress: readonly string[], from: string) {
  const message = `${ingress.join(', ')}${from === '' ? '' : ` from pool ${from}`}`;
  return { type: 'Allocated', status: 'True', reason: 'Allocated', message };
}
