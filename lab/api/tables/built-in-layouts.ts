import type { Layout } from './column.ts';
import { eventLayout } from './event-row.ts';
import { nodeLayout } from './node-row.ts';
import {
  bindingLayout,
  configMapLayout,
  leaseLayout,
  namespaceLayout,
  networkPolicyLayout,
  priorityClassLayout,
  secretLayout,
  serviceAccountLayout,
} from './plain-rows.ts';
import { podLayout } from './pod-row.ts';
import { endpointSliceLayout, endpointsLayout, serviceLayout } from './service-row.ts';
import {
  controllerRevisionLayout,
  daemonSetLayout,
  deploymentLayout,
  podDisruptionBudgetLayout,
  replicaSetLayout,
  statefulSetLayout,
} from './workload-rows.ts';

/** By collection, since two faces of one kind look alike in a table. */
export const builtInLayouts: Readonly<Record<string, Layout>> = {
  namespaces: namespaceLayout,
  nodes: nodeLayout,
  pods: podLayout,
  services: serviceLayout,
  endpoints: endpointsLayout,
  secrets: secretLayout,
  configmaps: configMapLayout,
  serviceaccounts: serviceAccountLayout,
  events: eventLayout,
  'endpointslices.discovery.k8s.io': endpointSliceLayout,
  'leases.coordination.k8s.io': leaseLayout,
  'deployments.apps': deploymentLayout,
  'daemonsets.apps': daemonSetLayout,
  'replicasets.apps': replicaSetLayout,
  'statefulsets.apps': statefulSetLayout,
  'controllerrevisions.apps': controllerRevisionLayout,
  'poddisruptionbudgets.policy': podDisruptionBudgetLayout,
  'networkpolicies.networking.k8s.io': networkPolicyLayout,
  'priorityclasses.scheduling.k8s.io': priorityClassLayout,
  'rolebindings.rbac.authorization.k8s.io': bindingLayout,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingLayout,
};
