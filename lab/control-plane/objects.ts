/** Kubernetes objects that the lab writes in place of kubelets and controllers, each with what its readers look at. */

import type { Family } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';

type Labels = Readonly<Record<string, string>>;
type Protocol = 'TCP' | 'UDP' | 'SCTP';

export function namespace(name: string, labels: Labels = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

export interface NodeFields {
  readonly name: string;
  /** One per family. */
  readonly addresses: readonly string[];
  readonly labels?: Labels;
  readonly podCidrs?: readonly string[];
  readonly zone?: string;
  readonly ready?: boolean;
}

/** The API server takes a status only when it is written to `/status` after the rest. */
export function node(fields: NodeFields): KubeObject {
  const { name, addresses, labels = {}, podCidrs = [], zone, ready = true } = fields;
  const status = ready ? 'True' : 'Unknown';
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }),
        ...labels,
      },
    },
    spec: podCidrs.length === 0 ? {} : { podCIDR: podCidrs[0], podCIDRs: podCidrs },
    status: {
      addresses: [
        ...addresses.map((address) => ({ type: 'InternalIP', address })),
        { type: 'Hostname', address: name },
      ],
      conditions: [{ type: 'Ready', status }],
    },
  };
}

export interface PodFields {
  readonly name: string;
  readonly namespace?: string;
  readonly node: string;
  readonly ips: readonly string[];
  readonly labels?: Labels;
  readonly ready?: boolean;
}

export function pod(fields: PodFields): KubeObject {
  const { name, namespace: inNamespace = 'default', ips, labels = {}, ready = true } = fields;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: inNamespace, labels },
    spec: { nodeName: fields.node, containers: [{ name: 'main', image: 'lab' }] },
    status: {
      phase: 'Running',
      podIP: ips[0],
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

/** Serves for a Service and for its EndpointSlices alike. */
export interface ServicePort {
  readonly port: number;
  /** Where its endpoints listen, if not on the same port. */
  readonly targetPort?: number;
  readonly protocol?: Protocol;
  readonly name?: string;
}

export interface ServiceFields {
  readonly name: string;
  readonly namespace?: string;
  readonly ports: readonly ServicePort[];
  readonly labels?: Labels;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Whatever else `spec` is to hold: class, policies, families, selector. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Of type LoadBalancer unless `spec` says otherwise, and without a selector: the lab writes its endpoints. */
export function service(fields: ServiceFields): KubeObject {
  const { name, namespace: inNamespace = 'default', labels = {}, annotations = {} } = fields;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: inNamespace, labels, annotations },
    spec: {
      type: 'LoadBalancer',
      ports: fields.ports.map((it) => ({
        ...nameAndProtocol(it),
        port: it.port,
        targetPort: it.targetPort ?? it.port,
      })),
      ...fields.spec,
    },
  };
}

/** What a load balancer writes into the status of a Service that it serves. */
export function loadBalancerStatus(ips: readonly string[]) {
  return { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } };
}

export interface EndpointSliceFields {
  /** The Service it belongs to; the slice is called after it and its family. */
  readonly service: string;
  readonly namespace?: string;
  readonly ports: readonly ServicePort[];
  /** All of one family. */
  readonly endpoints: readonly Endpoint[];
  /** Must be given where there may be no endpoints to tell it by. */
  readonly family?: Family;
}

export interface Endpoint {
  readonly ip: string;
  readonly node?: string;
  /** Ready unless it says otherwise; `terminating` still serves until it is gone. */
  readonly state?: 'ready' | 'unready' | 'terminating';
}

/** `ports` are those of the Service. */
export function endpointSlice(fields: EndpointSliceFields): KubeObject {
  const { service: owner, namespace: inNamespace = 'default', endpoints } = fields;
  const { family = endpoints[0]?.ip.includes(':') ? 'ipv6' : 'ipv4' } = fields;
  const addressType = family === 'ipv6' ? 'IPv6' : 'IPv4';
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${owner}-${addressType.toLowerCase()}`,
      namespace: inNamespace,
      labels: {
        'kubernetes.io/service-name': owner,
        'endpointslice.kubernetes.io/managed-by': 'purelb-lab',
      },
    },
    addressType,
    endpoints: endpoints.map(({ ip, node: nodeName, state = 'ready' }) => ({
      addresses: [ip],
      conditions: {
        ready: state === 'ready',
        serving: state !== 'unready',
        terminating: state === 'terminating',
      },
      ...(nodeName === undefined ? {} : { nodeName }),
    })),
    ports: fields.ports.map((it) => ({
      ...nameAndProtocol(it),
      port: it.targetPort ?? it.port,
    })),
  };
}

/** A Service with several ports must name them, and endpoints are matched by that name. */
function nameAndProtocol({ port, protocol = 'TCP', name }: ServicePort) {
  return { name: name ?? `${protocol.toLowerCase()}-${port}`, protocol };
}
