import type { ApiObject } from '../../api-object.ts';
import type { JsonObject } from '../../json.ts';

export type ServiceType = 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
export type IpFamily = 'IPv4' | 'IPv6';

export type ServicePort = {
  name?: string;
  protocol: string;
  port: number;
  targetPort?: number | string;
  nodePort?: number;
  appProtocol?: string;
};

/** The fields of a Service's spec that the server itself cares about. */
export type ServiceSpec = {
  type: string;
  ports?: ServicePort[];
  selector?: { [key: string]: string };
  clusterIP?: string;
  clusterIPs?: string[];
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  externalIPs?: string[];
  externalName?: string;
  externalTrafficPolicy?: string;
  internalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  loadBalancerClass?: string;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  allocateLoadBalancerNodePorts?: boolean;
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  publishNotReadyAddresses?: boolean;
  trafficDistribution?: string;
};

export type LoadBalancerIngress = {
  ip?: string;
  hostname?: string;
  ipMode?: string;
  ports?: JsonObject[];
};

export function specOf(service: ApiObject): ServiceSpec {
  return service.spec as unknown as ServiceSpec;
}

export function ingressOf(service: ApiObject): LoadBalancerIngress[] {
  const { loadBalancer } = service.status ?? {};
  return ((loadBalancer as JsonObject | undefined)?.['ingress'] ?? []) as LoadBalancerIngress[];
}

export const headless = 'None';

export function needsClusterIp({ type }: ServiceSpec): boolean {
  return type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer';
}

export function isHeadless({ clusterIP }: ServiceSpec): boolean {
  return clusterIP === headless;
}

export function needsNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  if (type === 'NodePort') return true;
  return type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false;
}

/** A load balancer that sends traffic only to nodes with endpoints asks each node for its health. */
export function needsHealthPort({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

export function isExternallyAccessible({ type, externalIPs = [] }: ServiceSpec): boolean {
  if (type === 'LoadBalancer' || type === 'NodePort') return true;
  return type === 'ClusterIP' && externalIPs.length > 0;
}

export function familyOfText(ip: string): IpFamily {
  return ip.includes(':') ? 'IPv6' : 'IPv4';
}
