/** What the scenarios on a real cluster put on it. */

import { loadBalancer } from '../../lab/cluster/workload.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';

/** ServiceGroups by name, one of each kind. */
export const pools = {
  default: {
    local: { v4pools: [{ subnet: '192.0.2.0/24', pool: '192.0.2.100-192.0.2.199' }] },
  },
  six: {
    local: {
      v6pools: [{ subnet: '2001:db8:1::/64', pool: '2001:db8:1::100-2001:db8:1::1ff' }],
    },
  },
  dual: {
    local: {
      v4pools: [{ subnet: '192.0.2.0/24', pool: '192.0.2.200-192.0.2.220' }],
      v6pools: [{ subnet: '2001:db8:1::/64', pool: '2001:db8:1::200-2001:db8:1::2ff' }],
    },
  },
  preserve: {
    externalTrafficPolicy: 'Preserve',
    local: {
      v4pools: [{ subnet: '192.0.2.0/24', pool: '192.0.2.221-192.0.2.230' }],
      v6pools: [{ subnet: '2001:db8:1::/64', pool: '2001:db8:1::300-2001:db8:1::3ff' }],
    },
  },
  remote: {
    remote: {
      v4pools: [{ subnet: '203.0.113.128/25', pool: '203.0.113.128/25', aggregation: '/32' }],
      v6pools: [{ subnet: '2001:db8:aa::/64', pool: '2001:db8:aa::/64', aggregation: '/128' }],
    },
  },
} as const;

export const webServices: readonly KubeObject[] = [
  loadBalancer({ name: 'single4', app: 'web', families: 'IPv4' }),
  loadBalancer({ name: 'single6', app: 'web', families: 'IPv6', group: 'six' }),
  loadBalancer({ name: 'dual', app: 'web', group: 'dual' }),
  loadBalancer({ name: 'dual-local', app: 'web', group: 'dual', policy: 'Local' }),
  loadBalancer({ name: 'remote', app: 'web', group: 'remote' }),
  loadBalancer({ name: 'remote-local', app: 'web', group: 'remote', policy: 'Local' }),
];

export const serviceNames = webServices.map(({ metadata }) => metadata.name);

/** Without a share of the processor they would answer only when nobody else of the node has anything to do. */
const resources = { requests: { cpu: '400m' } };
function podsOf(app: string, replicas: number): KubeObject {
  const labels = { app };
  const onAnotherNode = {
    weight: 100,
    podAffinityTerm: {
      topologyKey: 'kubernetes.io/hostname',
      labelSelector: { matchLabels: labels },
    },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app, namespace: 'default', labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          affinity: {
            podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [onAnotherNode] },
          },
          containers: [
            {
              name: 'web',
              image: 'lab/web:1',
              resources,
              env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
              ports: [{ name: 'http', containerPort: 8080 }],
              readinessProbe: { httpGet: { port: 'http', path: '/healthz' }, periodSeconds: 1 },
            },
            { name: 'echo', image: 'lab/echo:1', resources },
          ],
        },
      },
    },
  };
}

/** On every node one, as long as all are there. */
export const webPods = podsOf('web', 3);

/** A Service with one pod, whose addresses are local and whose policy stays as it is. */
export const lonely: readonly KubeObject[] = [
  podsOf('lonely', 1),
  loadBalancer({ name: 'lonely', group: 'preserve', policy: 'Local' }),
];
