/** The roles that every cluster has. */

import { createBuiltIn } from '../bootstrap.ts';
import type { JsonObject } from '../json.ts';
import type { Core } from '../rest/core.ts';

const group = 'rbac.authorization.k8s.io';
const everything = ['*'];
const reading = ['get', 'list', 'watch'];
const writing = ['create', 'delete', 'deletecollection', 'patch', 'update'];

const publicPaths = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const discoveryPaths = [
  ...publicPaths,
  ...['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'],
];
const workloadGroups = ['', 'apps', 'discovery.k8s.io', 'networking.k8s.io', 'policy'];

const roles: Readonly<Record<string, readonly JsonObject[]>> = {
  'cluster-admin': [
    { apiGroups: everything, resources: everything, verbs: everything },
    { nonResourceURLs: everything, verbs: everything },
  ],
  'system:discovery': [{ nonResourceURLs: discoveryPaths, verbs: ['get'] }],
  'system:public-info-viewer': [{ nonResourceURLs: publicPaths, verbs: ['get'] }],
  'system:basic-user': [
    {
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      verbs: ['create'],
    },
    { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
  ],
  view: [{ apiGroups: workloadGroups, resources: everything, verbs: reading }],
  edit: [{ apiGroups: workloadGroups, resources: everything, verbs: [...reading, ...writing] }],
  admin: [
    {
      apiGroups: [...workloadGroups, group],
      resources: everything,
      verbs: [...reading, ...writing],
    },
  ],
};

const bindings: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['system:masters'],
  'system:discovery': ['system:authenticated'],
  'system:public-info-viewer': ['system:authenticated', 'system:unauthenticated'],
  'system:basic-user': ['system:authenticated'],
};

export function createDefaultRoles(core: Core): void {
  for (const [name, rules] of Object.entries(roles)) {
    createBuiltIn(core, [group, 'clusterroles'], '', { metadata: { name }, rules: [...rules] });
  }
  for (const [name, groups] of Object.entries(bindings)) {
    createBuiltIn(core, [group, 'clusterrolebindings'], '', {
      metadata: { name },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name },
      subjects: groups.map((subject) => ({ apiGroup: group, kind: 'Group', name: subject })),
    });
  }
}
