/** Every kind that PureLB reads or writes. */

import type { EventObject } from './event-object.ts';
import type { LeaseObject } from './lease-object.ts';
import type { Resource } from './resource.ts';

const core = { group: '', version: 'v1' } as const;
const apps = { group: 'apps', version: 'v1' } as const;
const purelb = { group: 'purelb.io', version: 'v2' } as const;
const bgp = { group: 'bgp.purelb.io', version: 'v1' } as const;

const namespaced = { isNamespaced: true } as const;
const clusterWide = { isNamespaced: false } as const;

export const services: Resource = { ...core, plural: 'services', kind: 'Service', ...namespaced };
export const nodes: Resource = { ...core, plural: 'nodes', kind: 'Node', ...clusterWide };
export const namespaces: Resource = {
  ...core,
  plural: 'namespaces',
  kind: 'Namespace',
  ...clusterWide,
};
export const pods: Resource = { ...core, plural: 'pods', kind: 'Pod', ...namespaced };
export const secrets: Resource = { ...core, plural: 'secrets', kind: 'Secret', ...namespaced };

export const endpointSlices: Resource = {
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  ...namespaced,
};
export const leases: Resource<LeaseObject> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  ...namespaced,
};
export const events: Resource<EventObject> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  ...namespaced,
};

export const daemonSets: Resource = {
  ...apps,
  plural: 'daemonsets',
  kind: 'DaemonSet',
  ...namespaced,
};
export const deployments: Resource = {
  ...apps,
  plural: 'deployments',
  kind: 'Deployment',
  ...namespaced,
};

export const serviceGroups: Resource = {
  ...purelb,
  plural: 'servicegroups',
  kind: 'ServiceGroup',
  ...namespaced,
};
export const lbNodeAgents: Resource = {
  ...purelb,
  plural: 'lbnodeagents',
  kind: 'LBNodeAgent',
  ...namespaced,
};
export const bgpConfigurations: Resource = {
  ...bgp,
  plural: 'configs',
  kind: 'BGPConfiguration',
  ...namespaced,
};
export const bgpNodeStatuses: Resource = {
  ...bgp,
  plural: 'bgpnodestatuses',
  kind: 'BGPNodeStatus',
  ...clusterWide,
};
