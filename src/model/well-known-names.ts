/** Names that Kubernetes, upstream or we have fixed, beside annotations, reasons and metrics. */

/** Both are ours; the first is the canonical one. */
export const loadBalancerClasses: readonly string[] = ['purelb.io/purelbv2', 'purelb.io/purelb'];

/** The Kubernetes service controller's own, so that its tests and tools know it. */
export const cleanupFinalizer = 'service.kubernetes.io/load-balancer-cleanup';

/** On ServiceGroups whose source keeps records of addresses: the group stays until the source has them all back. */
export const recordsFinalizer = 'purelb.io/release-records';

/** The group that a Service without a choice is given addresses from. */
export const defaultGroup = 'default';

/** Lease of each node: this followed by the node's name. */
export const nodeLeasePrefix = 'purelb-node-';

/** The Secret with the key by which agents know each other, in PureLB's namespace. */
export const peerKeySecret = 'purelb-peer-key';

export const leaseLabels = {
  'app.kubernetes.io/component': 'lbnodeagent',
  'app.kubernetes.io/name': 'purelb',
} as const;

export const excludeNodeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';
export const zoneLabel = 'topology.kubernetes.io/zone';
export const serviceNameLabel = 'kubernetes.io/service-name';

/** Put on a node by the cluster autoscaler before it removes the node. */
export const autoscalerTaint = 'ToBeDeletedByClusterAutoscaler';

/** Services that are never anyone's load balancer. */
export const ignoredServices: ReadonlySet<string> = new Set([
  'default/kubernetes',
  'kube-system/kube-dns',
  'kube-system/kube-controller-manager',
  'kube-system/kube-scheduler',
]);
