/** What a cluster has before its first Service: roles, PureLB's definitions, and pools. */

import type { Cluster } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { readManifest, resourceOf } from '../manifest.ts';

export const installNamespace = 'purelb-system';
export const agentUser = `system:serviceaccount:${installNamespace}:lbnodeagent`;
export const allocatorUser = `system:serviceaccount:${installNamespace}:allocator`;
export const kubeProxyUser = 'system:kube-proxy';
const nodesGroup = 'system:nodes';

export function nodeUser(node: string): {
  readonly user: string;
  readonly groups: readonly string[];
} {
  return { user: `system:node:${node}`, groups: [nodesGroup] };
}

/** ServiceGroups by name: their `spec`. */
export type Groups = Readonly<Record<string, object>>;

/** A local pool in each of the two LANs of nodes, and a routed one. */
export const usualGroups: Groups = {
  default: {
    local: {
      v4pools: [{ subnet: '192.0.2.0/24', pool: '192.0.2.100-192.0.2.199' }],
      v6pools: [{ subnet: '2001:db8:1::/64', pool: '2001:db8:1::100-2001:db8:1::1ff' }],
    },
  },
  lan2: {
    local: {
      v4pools: [{ subnet: '198.51.100.0/24', pool: '198.51.100.100-198.51.100.199' }],
      v6pools: [{ subnet: '2001:db8:2::/64', pool: '2001:db8:2::100-2001:db8:2::1ff' }],
    },
  },
  remote: {
    remote: {
      v4pools: [{ subnet: '203.0.113.128/25', pool: '203.0.113.128/25', aggregation: '/32' }],
      v6pools: [{ subnet: '2001:db8:aa::/64', pool: '2001:db8:aa::/64', aggregation: '/128' }],
    },
  },
};

const manifests = [
  'crds/purelb.io_servicegroups',
  'crds/purelb.io_lbnodeagents',
  'rbac/agent',
  'rbac/allocator',
];

/** In the order in which an API server takes them. */
export async function installObjects(
  cluster: Cluster,
  groups: Groups,
  policies: readonly string[],
): Promise<void> {
  const namespace: KubeObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: installNamespace },
  };
  await create(cluster, namespace);
  const objects = [...[...manifests, ...policies].flatMap(readManifest), ...labRoles];
  await Promise.all(objects.map((object) => create(cluster, object)));
  await Promise.all(purelbObjects(groups).map((object) => createPatiently(cluster, object)));
}

function purelbObjects(groups: Groups): readonly KubeObject[] {
  const wish = (kind: string, name: string, spec: object): KubeObject => {
    const metadata = { name, namespace: installNamespace };
    return { apiVersion: 'purelb.io/v2', kind, metadata, spec };
  };
  return [
    wish('LBNodeAgent', 'default', { local: {} }),
    ...Object.entries(groups).map(([name, spec]) => wish('ServiceGroup', name, spec)),
  ];
}

const reading = ['get', 'list', 'watch'];
const rbac = 'rbac.authorization.k8s.io';

/** What the lab's kubelets may do, forwarding included, and what kube-proxy may. */
const labRoles: readonly KubeObject[] = [
  role('lab:kubelet', [
    { apiGroups: [''], resources: ['nodes'], verbs: [...reading, 'create'] },
    { apiGroups: [''], resources: ['nodes/status', 'pods/status'], verbs: ['patch'] },
    { apiGroups: [''], resources: ['pods'], verbs: [...reading, 'delete'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      verbs: ['get', 'create', 'update'],
    },
    { apiGroups: [''], resources: ['services'], verbs: reading },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: reading },
    { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  ]),
  binding('lab:kubelet', { kind: 'Group', name: nodesGroup }),
  role('lab:kube-proxy', [
    { apiGroups: [''], resources: ['nodes', 'services'], verbs: reading },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: reading },
    { apiGroups: ['networking.k8s.io'], resources: ['servicecidrs'], verbs: reading },
    {
      apiGroups: ['', 'events.k8s.io'],
      resources: ['events'],
      verbs: ['create', 'patch', 'update'],
    },
  ]),
  binding('lab:kube-proxy', { kind: 'User', name: kubeProxyUser }),
];

function role(name: string, rules: readonly object[]): KubeObject {
  return { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules };
}

function binding(name: string, subject: { kind: string; name: string }): KubeObject {
  return {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
    subjects: [{ apiGroup: rbac, ...subject }],
  };
}

/** Whatever its kind. */
export async function create(cluster: Cluster, object: KubeObject): Promise<KubeObject> {
  return cluster.create(resourceOf(object), object);
}

const patienceMs = 10_000;

/** A real API server serves a new kind only a moment after its definition came. */
export async function createPatiently(
  cluster: Cluster,
  object: KubeObject,
  resource = resourceOf(object),
): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      await cluster.create(resource, object);
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
