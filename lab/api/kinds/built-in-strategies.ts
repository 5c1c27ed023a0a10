import { crdStrategy } from '../custom/crd-strategy.ts';
import type { Store } from '../store/store.ts';
import { admissionBindingStrategy, admissionPolicyStrategy } from './admission-strategies.ts';
import type { Strategies } from './built-in-resources.ts';
import { configMapStrategy, secretStrategy } from './data-strategies.ts';
import { endpointSliceStrategy, endpointsStrategy } from './endpoints-strategies.ts';
import { coreEventStrategy, newEventStrategy } from './event-strategies.ts';
import { leaseStrategy } from './lease-strategy.ts';
import { namespaceStrategy } from './namespace-strategy.ts';
import { networkPolicyStrategy } from './network-policy-strategy.ts';
import { nodeStrategy } from './node-strategy.ts';
import { podStrategy } from './pod-strategy.ts';
import { bindingStrategy, roleStrategy } from './rbac-strategies.ts';
import { serviceStrategy } from './service/service-strategy.ts';
import {
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  statefulSetStrategy,
} from './workload-strategies.ts';

export interface StrategyParts {
  readonly store: Store;
  readonly serviceCidrs: readonly string[];
}

export function builtInStrategies({ store, serviceCidrs }: StrategyParts): Strategies {
  return {
    '/Namespace': namespaceStrategy,
    '/Node': nodeStrategy,
    '/Pod': podStrategy,
    '/Service': serviceStrategy(store, serviceCidrs),
    '/ConfigMap': configMapStrategy,
    '/Secret': secretStrategy,
    '/Endpoints': endpointsStrategy,
    '/Event': coreEventStrategy,
    'events.k8s.io/Event': newEventStrategy,
    'discovery.k8s.io/EndpointSlice': endpointSliceStrategy,
    'coordination.k8s.io/Lease': leaseStrategy,
    'apiextensions.k8s.io/CustomResourceDefinition': crdStrategy,
    'admissionregistration.k8s.io/ValidatingAdmissionPolicy': admissionPolicyStrategy,
    'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': admissionBindingStrategy,
    'apps/Deployment': deploymentStrategy,
    'apps/DaemonSet': daemonSetStrategy,
    'apps/ReplicaSet': replicaSetStrategy,
    'apps/StatefulSet': statefulSetStrategy,
    'networking.k8s.io/NetworkPolicy': networkPolicyStrategy,
    'rbac.authorization.k8s.io/Role': roleStrategy(true),
    'rbac.authorization.k8s.io/RoleBinding': bindingStrategy,
    'rbac.authorization.k8s.io/ClusterRole': roleStrategy(false),
    'rbac.authorization.k8s.io/ClusterRoleBinding': bindingStrategy,
  };
}
