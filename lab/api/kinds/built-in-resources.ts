/** The kinds that come with the server: where each is served and what is special about it. */

import type { Resource, Strategy, Verb } from '../resource.ts';
import type { Schema } from '../schema/schema.ts';

export const allVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

type Options = Partial<
  Pick<
    Resource,
    | 'shortNames'
    | 'categories'
    | 'hasStatus'
    | 'hasGeneration'
    | 'selectableFields'
    | 'allowsBlindUpdate'
    | 'allowsCreateOnUpdate'
    | 'returnsDeleted'
    | 'collection'
    | 'plural'
    | 'verbs'
  >
>;

type Row = readonly [group: string, kind: string, scope: 'namespaced' | 'cluster', Options];

const strict = { allowsBlindUpdate: false };
const upsert = { allowsCreateOnUpdate: true };
const extension = { ...strict, categories: ['api-extensions'], hasGeneration: true };
const workload = { categories: ['all'], hasStatus: true, hasGeneration: true };

const table: readonly Row[] = [
  [
    '',
    'Namespace',
    'cluster',
    {
      shortNames: ['ns'],
      hasStatus: true,
      selectableFields: ['status.phase', 'name'],
      verbs: allVerbs.filter((verb) => verb !== 'deletecollection'),
    },
  ],
  [
    '',
    'Node',
    'cluster',
    { shortNames: ['no'], hasStatus: true, selectableFields: ['spec.unschedulable'] },
  ],
  [
    '',
    'Pod',
    'namespaced',
    {
      shortNames: ['po'],
      categories: ['all'],
      hasStatus: true,
      hasGeneration: true,
      returnsDeleted: true,
      selectableFields: [
        'spec.nodeName',
        'spec.restartPolicy',
        'spec.schedulerName',
        'spec.serviceAccountName',
        'spec.hostNetwork',
        'status.phase',
        'status.podIP',
        'status.podIPs',
        'status.nominatedNodeName',
      ],
    },
  ],
  [
    '',
    'Service',
    'namespaced',
    {
      ...upsert,
      shortNames: ['svc'],
      categories: ['all'],
      hasStatus: true,
      returnsDeleted: true,
      selectableFields: ['spec.clusterIP', 'spec.type'],
    },
  ],
  ['', 'Endpoints', 'namespaced', { ...upsert, plural: 'endpoints', shortNames: ['ep'] }],
  ['', 'Secret', 'namespaced', { selectableFields: ['type'] }],
  ['', 'ConfigMap', 'namespaced', { shortNames: ['cm'] }],
  ['', 'ServiceAccount', 'namespaced', { shortNames: ['sa'], returnsDeleted: true }],
  [
    '',
    'Event',
    'namespaced',
    {
      ...upsert,
      shortNames: ['ev'],
      selectableFields: [
        ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
          (field) => `involvedObject.${field}`,
        ),
        ...['reason', 'reportingComponent', 'source', 'type'],
      ],
    },
  ],
  [
    'events.k8s.io',
    'Event',
    'namespaced',
    {
      ...upsert,
      shortNames: ['ev'],
      collection: 'events',
      selectableFields: [
        ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
          (field) => `regarding.${field}`,
        ),
        ...['reason', 'reportingController', 'type'],
      ],
    },
  ],
  ['discovery.k8s.io', 'EndpointSlice', 'namespaced', { hasGeneration: true }],
  ['coordination.k8s.io', 'Lease', 'namespaced', { ...strict, ...upsert }],
  ['apps', 'Deployment', 'namespaced', { ...workload, shortNames: ['deploy'] }],
  ['apps', 'DaemonSet', 'namespaced', { ...workload, shortNames: ['ds'] }],
  [
    'apps',
    'ReplicaSet',
    'namespaced',
    { ...workload, shortNames: ['rs'], selectableFields: ['status.replicas'] },
  ],
  ['apps', 'StatefulSet', 'namespaced', { ...workload, shortNames: ['sts'] }],
  ['apps', 'ControllerRevision', 'namespaced', {}],
  [
    'policy',
    'PodDisruptionBudget',
    'namespaced',
    { ...strict, shortNames: ['pdb'], hasStatus: true, hasGeneration: true },
  ],
  [
    'networking.k8s.io',
    'NetworkPolicy',
    'namespaced',
    { plural: 'networkpolicies', shortNames: ['netpol'], hasGeneration: true },
  ],
  [
    'admissionregistration.k8s.io',
    'ValidatingAdmissionPolicy',
    'cluster',
    { ...extension, plural: 'validatingadmissionpolicies', hasStatus: true },
  ],
  ['admissionregistration.k8s.io', 'ValidatingAdmissionPolicyBinding', 'cluster', extension],
  [
    'scheduling.k8s.io',
    'PriorityClass',
    'cluster',
    { plural: 'priorityclasses', shortNames: ['pc'] },
  ],
  ['rbac.authorization.k8s.io', 'Role', 'namespaced', upsert],
  ['rbac.authorization.k8s.io', 'RoleBinding', 'namespaced', upsert],
  ['rbac.authorization.k8s.io', 'ClusterRole', 'cluster', upsert],
  ['rbac.authorization.k8s.io', 'ClusterRoleBinding', 'cluster', upsert],
  [
    'apiextensions.k8s.io',
    'CustomResourceDefinition',
    'cluster',
    {
      ...strict,
      shortNames: ['crd', 'crds'],
      categories: ['api-extensions'],
      hasStatus: true,
      hasGeneration: true,
    },
  ],
];

/** Strategies by `group/Kind`. */
export type Strategies = Readonly<Record<string, Strategy>>;

export function builtInResources(
  types: ReadonlyMap<string, Schema>,
  strategies: Strategies,
): readonly Resource[] {
  return table.map(([group, kind, scope, options]) => {
    const singular = kind.toLowerCase();
    const plural = options.plural ?? `${singular}s`;
    const schema = types.get(`${typeGroup(group)}.v1.${kind}`);
    if (schema === undefined) throw new Error(`no type for ${group}/${kind}`);
    return {
      group,
      version: 'v1',
      plural,
      singular,
      kind,
      isNamespaced: scope === 'namespaced',
      collection: group === '' ? plural : `${plural}.${group}`,
      schema,
      hasStatus: false,
      hasGeneration: false,
      isCustom: false,
      allowsBlindUpdate: true,
      allowsCreateOnUpdate: false,
      returnsDeleted: false,
      verbs: allVerbs,
      ...options,
      strategy: strategies[`${group}/${kind}`] ?? {},
    };
  });
}

/** As the type table calls a group: `rbac.authorization.k8s.io` is `rbac` there, the core group `core`. */
function typeGroup(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? group);
}
