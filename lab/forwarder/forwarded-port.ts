/** One port of one Service in one family, with its endpoints: what packet rules are made of. */

import type { KubeObject } from '../../src/model/kube-object.ts';

export type Family = 'ip' | 'ip6';

export interface ForwardedPort {
  /** `default/web:http`, for people who read the rules. */
  readonly name: string;
  readonly family: Family;
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  readonly clusterIps: readonly string[];
  /** From outside: of the load balancer, and those that the Service names itself. */
  readonly externalIps: readonly string[];
  /** externalTrafficPolicy Local: only endpoints of this node, and they see the client's address. */
  readonly isLocal: boolean;
  readonly endpoints: readonly ForwardedEndpoint[];
}

export interface ForwardedEndpoint {
  readonly ip: string;
  readonly port: number;
  readonly isHere: boolean;
}

interface ServiceSpec {
  readonly type?: string;
  readonly clusterIPs?: readonly string[];
  readonly externalIPs?: readonly string[];
  readonly externalTrafficPolicy?: string;
  readonly ports?: readonly PortSpec[];
}

interface PortSpec {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
}

interface ServiceStatus {
  readonly loadBalancer?: {
    readonly ingress?: readonly { readonly ip?: string; readonly ipMode?: string }[];
  };
}

interface SliceFields {
  readonly addressType: string;
  readonly endpoints?: readonly SliceEndpoint[] | null;
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null;
}

interface SliceEndpoint {
  readonly addresses: readonly string[];
  readonly nodeName?: string;
  readonly conditions?: {
    readonly ready?: boolean;
    readonly serving?: boolean;
    readonly terminating?: boolean;
  };
}

const families: readonly Family[] = ['ip', 'ip6'];

/** Services without a cluster address (headless, by name) are not forwarded. */
export function forwardedPorts(
  services: Iterable<KubeObject>,
  slices: Iterable<KubeObject>,
  node: string,
): readonly ForwardedPort[] {
  const byService = Map.groupBy(slices, serviceOfSlice);
  return [...services].flatMap((service) => {
    const own = byService.get(`${service.metadata.namespace}/${service.metadata.name}`) ?? [];
    return families.flatMap((family) => portsOf(service, own, { family, node }));
  });
}

function serviceOfSlice({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name']}`;
}

function portsOf(
  { metadata, spec, status }: KubeObject,
  slices: readonly KubeObject[],
  { family, node }: { readonly family: Family; readonly node: string },
): readonly ForwardedPort[] {
  const {
    type,
    clusterIPs = [],
    externalIPs = [],
    ports = [],
    externalTrafficPolicy,
  } = (spec ?? {}) as ServiceSpec;
  const { loadBalancer } = (status ?? {}) as ServiceStatus;
  const ingress = (loadBalancer?.ingress ?? []).flatMap(({ ip, ipMode = 'VIP' }) =>
    ip !== undefined && ipMode === 'VIP' ? [ip] : [],
  );
  const clusterIps = clusterIPs.filter((ip) => ip !== 'None' && familyOf(ip) === family);
  if (clusterIps.length === 0 || type === 'ExternalName') return [];
  return ports.flatMap((port) => {
    const protocol = protocolOf(port);
    if (protocol === undefined) return [];
    return {
      name: `${metadata.namespace}/${metadata.name}:${port.name ?? port.port}`,
      family,
      protocol,
      port: port.port,
      clusterIps,
      externalIps: [...ingress, ...externalIPs].filter((ip) => familyOf(ip) === family),
      isLocal: externalTrafficPolicy === 'Local',
      endpoints: endpointsOf(slices, port, { family, node }),
    };
  });
}

function protocolOf({ protocol = 'TCP' }: PortSpec): 'tcp' | 'udp' | undefined {
  if (protocol === 'TCP') return 'tcp';
  return protocol === 'UDP' ? 'udp' : undefined;
}

/** Those that are ready; where none is, those that still serve while they end. */
function endpointsOf(
  slices: readonly KubeObject[],
  port: PortSpec,
  { family, node }: { readonly family: Family; readonly node: string },
): readonly ForwardedEndpoint[] {
  const found = slices.flatMap((slice) => candidatesIn(slice, port.name ?? '', family));
  const ready = found.filter(({ endpoint }) => endpoint.conditions?.ready !== false);
  const serving = found.filter(
    ({ endpoint }) => endpoint.conditions?.serving === true && endpoint.conditions.terminating,
  );
  const chosen = (ready.length > 0 ? ready : serving).map(({ endpoint, port: target }) => {
    return { ip: endpoint.addresses[0] ?? '', port: target, isHere: endpoint.nodeName === node };
  });
  return uniqueBy(chosen, ({ ip, port: target }) => `${ip} ${target}`);
}

function candidatesIn(slice: KubeObject, portName: string, family: Family) {
  const { addressType, endpoints, ports } = slice as KubeObject & SliceFields;
  if (addressType !== (family === 'ip' ? 'IPv4' : 'IPv6')) return [];
  const port = ports?.find(({ name = '' }) => name === portName)?.port;
  return port === undefined ? [] : (endpoints ?? []).map((endpoint) => ({ endpoint, port }));
}

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()].sort((left, right) =>
    keyOf(left) < keyOf(right) ? -1 : 1,
  );
}

function familyOf(ip: string): Family {
  return ip.includes(':') ? 'ip6' : 'ip';
}
