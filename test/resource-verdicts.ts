/**
 * Resources and the verdict that each must get: from our readers, and from an API server with our CRDs. First the
 * examples of the original documentation, with their own addresses; then what people get wrong.
 */

export interface Verdict {
  readonly name: string;
  readonly yaml: string;
  /** What the reader says, as `path: message`; nothing when it accepts. */
  readonly problems: readonly string[];
  /** Parts of what the API server says; nothing when it accepts. */
  readonly refusal: readonly string[];
}

const head = (kind: string, version: string, name: string) => `
apiVersion: ${version}
kind: ${kind}
metadata:
  name: ${name}
  namespace: default
spec:`;
const group = (name: string) => head('ServiceGroup', 'purelb.io/v2', name);
const groupV1 = (name: string) => head('ServiceGroup', 'purelb.io/v1', name);
const agent = (name: string) => head('LBNodeAgent', 'purelb.io/v2', name);
const bgp = (name: string) => head('BGPConfiguration', 'bgp.purelb.io/v1', name);

const oneOf = 'exactly one of local, remote, netbox, external';

export const verdicts: readonly Verdict[] = [
  {
    name: 'the flat group of local addresses',
    yaml: `${groupV1('localaddressrange')}
  name: 'localaddrange'
  subnet: '192.168.151.0/24'
  pool: '192.168.151.240-192.168.151.250'
  aggregation: 'default'`,
    problems: [],
    refusal: [],
  },
  {
    name: 'the same, named in capitals, which Kubernetes itself refuses',
    yaml: `${groupV1('LocalAddressRange')}
  name: 'localaddrange'
  subnet: '192.168.151.0/24'
  pool: '192.168.151.240-192.168.151.250'
  aggregation: 'default'`,
    problems: [],
    refusal: ['metadata.name: Invalid value: "LocalAddressRange"'],
  },
  {
    name: 'the flat group of virtual addresses',
    yaml: `${groupV1('virtualaddressrange')}
  name: 'virtaddrange'
  subnet: '172.22.0.0/24'
  pool: '172.22.0.10-172.22.0.25'
  aggregation: 'default'`,
    problems: [],
    refusal: [],
  },
  {
    name: 'remotedual as written, which runs backwards and leaves its subnet',
    yaml: `${groupV1('remotedual-as-written')}
  local:
    v4pools:
    - aggregation: /32
      pool: 172.32.100.225-172.30.100.229
      subnet: 172.32.100.0/24
    v6pools:
    - aggregation: /128
      pool: fc00:370:155:0:8000::/126
      subnet: fc00:370:155::/64`,
    problems: [
      'spec.local.v4pools[0].pool: "172.32.100.225-172.30.100.229" runs backwards and leaves 172.32.100.0/24: did you mean 172.32.100.225-172.32.100.229?',
    ],
    refusal: [
      'spec.local.v4pools[0].pool',
      '172.32.100.225-172.30.100.229 is not inside subnet 172.32.100.0/24: did you mean 172.32.100.225-172.32.100.229?',
    ],
  },
  {
    name: 'remotedual corrected',
    yaml: `${groupV1('remotedual')}
  local:
    v4pools:
    - aggregation: /32
      pool: 172.32.100.225-172.32.100.229
      subnet: 172.32.100.0/24
    v6pools:
    - aggregation: /128
      pool: fc00:370:155:0:8000::/126
      subnet: fc00:370:155::/64`,
    problems: [],
    refusal: [],
  },
  {
    name: 'a v6 pool that starts in the middle of its subnet',
    yaml: `${groupV1('localaddrange')}
  local:
    v4pools:
    - aggregation: default
      pool: 192.168.10.240-192.168.10.243
      subnet: 192.168.10.0/24
    v6pools:
    - aggregation: default
      pool: fc00:270:154:0:8100::4/64
      subnet: fc00:270:154::/64`,
    problems: [],
    refusal: [],
  },
  {
    name: 'the dual-stack Service without node ports',
    yaml: `
apiVersion: v1
kind: Service
metadata:
  annotations:
    purelb.io/service-group: localaddrange
  name: kuard-svc-dual-remote
  namespace: default
spec:
  allocateLoadBalancerNodePorts: false
  externalTrafficPolicy: Cluster
  internalTrafficPolicy: Cluster
  ipFamilies:
  - IPv4
  - IPv6
  ipFamilyPolicy: RequireDualStack
  ports:
  - port: 80
    protocol: TCP
    targetPort: 8080
  selector:
    app: kuard
  sessionAffinity: None
  type: LoadBalancer`,
    problems: [],
    refusal: [],
  },
  {
    name: 'a local pool on the subnet of the nodes',
    yaml: `${group('lan')}
  local:
    v4pool: {subnet: 192.168.1.0/24, pool: 192.168.1.240/32}`,
    problems: [],
    refusal: [],
  },
  {
    name: 'a remote pool of one address behind a router',
    yaml: `${group('routed')}
  remote:
    v4pools:
    - {subnet: 172.31.0.1/32, pool: 172.31.0.1/32, aggregation: /32}`,
    problems: [],
    refusal: [],
  },
  {
    name: 'an address on every subnet',
    yaml: `${group('everywhere')}
  local:
    multiPool: true
    v4pools:
    - {subnet: 192.0.2.0/24, pool: 192.0.2.10-192.0.2.20}
    - {subnet: 198.51.100.0/24, pool: 198.51.100.10-198.51.100.20}`,
    problems: [],
    refusal: [],
  },
  {
    name: "v1's single range inside local",
    yaml: `${groupV1('single-range')}
  local:
    subnet: 192.0.2.0/24
    pool: 192.0.2.10 - 192.0.2.20
    aggregation: /32`,
    problems: [],
    refusal: [],
  },
  {
    name: "v1's single range left empty beside a list",
    yaml: `${groupV1('empty-range')}
  local:
    subnet: ''
    pool: ''
    aggregation: ''
    v4pools:
    - {subnet: 192.0.2.0/24, pool: 192.0.2.10/32, aggregation: ''}`,
    problems: [],
    refusal: [],
  },
  {
    name: 'half of the flat form',
    yaml: `${groupV1('half')}
  pool: 192.0.2.10/32`,
    problems: ['spec.subnet: is missing'],
    refusal: ['give both subnet and pool'],
  },
  {
    name: "v1's netbox",
    yaml: `${groupV1('old-netbox')}
  netbox:
    url: https://netbox.example/
    tenant: kubernetes
    aggregation: default`,
    problems: [],
    refusal: [],
  },
  {
    name: "upstream's external group",
    yaml: `${group('external')}
  external: {provider: test, announce: remote, socket: /var/run/purelb/ipam.sock}`,
    problems: [],
    refusal: [],
  },
  {
    name: 'a CIDR wider than its subnet that starts inside and ends with it',
    yaml: `${group('upper-half')}
  local:
    v4pool: {subnet: 192.0.2.128/25, pool: 192.0.2.200/24}`,
    problems: [],
    refusal: [],
  },
  {
    name: 'no source of addresses',
    yaml: `${group('no-source')}
  namespaces: [shop]`,
    problems: [`spec: ${oneOf}: none is given`],
    refusal: [oneOf],
  },
  {
    name: 'two sources of addresses',
    yaml: `${group('two-sources')}
  local:
    v4pool: {subnet: 192.0.2.0/24, pool: 192.0.2.10/32}
  remote:
    v4pool: {subnet: 198.51.100.0/24, pool: 198.51.100.10/32}`,
    problems: [`spec: ${oneOf}: local and remote are given`],
    refusal: [oneOf],
  },
  {
    name: 'the flat form beside another',
    yaml: `${groupV1('flat-and-local')}
  subnet: 192.0.2.0/24
  pool: 192.0.2.10/32
  local:
    v4pool: {subnet: 192.0.2.0/24, pool: 192.0.2.11/32}`,
    problems: [`spec: ${oneOf}: the flat form and local are given`],
    refusal: ['the flat form (subnet, pool, aggregation) stands alone'],
  },
  {
    name: 'a flat pool outside its subnet',
    yaml: `${groupV1('flat-outside')}
  subnet: 192.0.2.0/24
  pool: 198.51.100.10-198.51.100.20`,
    problems: ['spec.pool: "198.51.100.10-198.51.100.20" is not inside 192.0.2.0/24'],
    refusal: ['pool must lie inside subnet'],
  },
  {
    name: 'no range at all',
    yaml: `${group('no-range')}
  local: {}`,
    problems: ['spec.local: give at least one range in v4pools or v6pools'],
    refusal: ['give at least one range in v4pools or v6pools'],
  },
  {
    name: 'multiPool and balancePools together',
    yaml: `${group('both')}
  remote:
    multiPool: true
    balancePools: true
    v4pool: {subnet: 198.51.100.0/24, pool: 198.51.100.10/32}`,
    problems: ['spec.remote: multiPool and balancePools are mutually exclusive: choose one'],
    refusal: ['multiPool and balancePools are mutually exclusive'],
  },
  {
    name: 'a reversed range',
    yaml: `${group('reversed')}
  local:
    v4pool: {subnet: 192.0.2.0/24, pool: 192.0.2.20-192.0.2.10}`,
    problems: [
      'spec.local.v4pool.pool: "192.0.2.20-192.0.2.10" runs backwards: write 192.0.2.10-192.0.2.20',
    ],
    refusal: ['192.0.2.20-192.0.2.10 runs backwards: write 192.0.2.10-192.0.2.20'],
  },
  {
    name: 'IPv6 among IPv4 ranges',
    yaml: `${group('wrong-family')}
  local:
    v4pools:
    - {subnet: 2001:db8::/64, pool: 2001:db8::1-2001:db8::9}`,
    problems: [
      'spec.local.v4pools[0].subnet: 2001:db8::/64 is not IPv4: v4pools holds IPv4, move it to v6pools',
      'spec.local.v4pools[0].pool: 2001:db8::1-2001:db8::9 is not IPv4: v4pools holds IPv4, move it to v6pools',
    ],
    refusal: ['subnet must be an IPv4 network', 'pool must be IPv4 addresses'],
  },
  {
    name: 'an IPv6 range outside its subnet',
    yaml: `${group('v6-outside')}
  local:
    v6pool: {subnet: 2001:db8::/64, pool: '2001:db8::10-2001:db8:1::20'}`,
    problems: [
      'spec.local.v6pool.pool: "2001:db8::10-2001:db8:1::20" is not inside 2001:db8::/64: did you mean 2001:db8::10-2001:db8::20?',
    ],
    refusal: ['is not inside subnet 2001:db8::/64: did you mean 2001:db8::10-2001:db8::20?'],
  },
  {
    name: 'a pool that is wider than its subnet',
    yaml: `${group('too-wide')}
  local:
    v4pool: {subnet: 192.0.2.0/24, pool: 192.0.2.0/23}`,
    problems: ['spec.local.v4pool.pool: "192.0.2.0/23" is not inside 192.0.2.0/24'],
    refusal: ['pool must lie inside subnet'],
  },
  {
    name: 'an aggregation that is too long for IPv4, and one without its slash',
    yaml: `${group('aggregation')}
  local:
    v4pools:
    - {subnet: 192.0.2.0/24, pool: 192.0.2.10/32, aggregation: /33}
    - {subnet: 192.0.2.0/24, pool: 192.0.2.11/32, aggregation: '32'}`,
    problems: [
      'spec.local.v4pools[0].aggregation: "/33" is not an aggregation: write default, or /8 to /32',
      'spec.local.v4pools[1].aggregation: "32" is not an aggregation: write /32',
    ],
    refusal: ['aggregation is "default" or a prefix length from /8 to /32'],
  },
  {
    name: 'words for ranges',
    yaml: `${group('words')}
  local:
    v4pool: {subnet: lan, pool: some, exclude: [none]}`,
    problems: [
      'spec.local.v4pool.subnet: "lan" is not a prefix such as 192.0.2.0/24 or 2001:db8::/64',
      'spec.local.v4pool.pool: "some" is not a range: write it like 192.0.2.10-192.0.2.20 or 192.0.2.0/24',
      'spec.local.v4pool.exclude[0]: "none" is not a range: write it like 192.0.2.10-192.0.2.20 or 192.0.2.0/24',
    ],
    refusal: [
      'subnet must be an IPv4 network such as 192.0.2.0/24',
      'pool must be IPv4 addresses, written like 192.0.2.10-192.0.2.20 or 192.0.2.0/24',
      'write an address, a range like 192.0.2.10-192.0.2.20, or a CIDR',
    ],
  },
  {
    name: 'namespaces enforced and defaulted that are not listed',
    yaml: `${group('no-namespaces')}
  local:
    v4pool: {subnet: 192.0.2.0/24, pool: 192.0.2.10/32}
  enforceNamespaces: true
  namespaceDefault: true`,
    problems: [
      'spec.enforceNamespaces: requires a non-empty namespaces list',
      'spec.namespaceDefault: requires a non-empty namespaces list',
    ],
    refusal: [
      'enforceNamespaces requires a non-empty namespaces list',
      'namespaceDefault requires a non-empty namespaces list',
    ],
  },
  {
    name: 'a Netbox that is not told where to take addresses from',
    yaml: `${group('vague-netbox')}
  netbox: {url: netbox.example}`,
    problems: [
      'spec.netbox: name prefixes or ranges to take addresses from, or the tenant whose reserved addresses are used',
      'spec.netbox.url: "netbox.example" is not a URL: did you mean https://netbox.example?',
    ],
    refusal: ['name prefixes or ranges to take addresses from', 'write a URL such as'],
  },
  {
    name: 'an external group announced in capitals',
    yaml: `${group('capitals')}
  external: {provider: test, announce: Local, socket: ipam.sock}`,
    problems: [
      'spec.external.socket: write an absolute path such as /var/run/purelb/ipam.sock, or host:port',
      'spec.external.announce: "Local" is not one of auto, local, remote: did you mean local?',
    ],
    refusal: ['spec.external.announce: Unsupported value: "Local"'],
  },
  {
    name: 'a group that keeps externalTrafficPolicy Local, in v1 and flat',
    yaml: `${groupV1('preserving')}
  subnet: 192.0.2.0/24
  pool: 192.0.2.10-192.0.2.20
  externalTrafficPolicy: Preserve`,
    problems: [],
    refusal: [],
  },
  {
    name: 'a group that would set externalTrafficPolicy Local, which no group does',
    yaml: `${group('localising')}
  local:
    v4pool: {subnet: 192.0.2.0/24, pool: 192.0.2.10/32}
  externalTrafficPolicy: Local`,
    problems: ['spec.externalTrafficPolicy: "Local" is not one of Cluster, Preserve'],
    refusal: ['spec.externalTrafficPolicy: Unsupported value: "Local"'],
  },
  {
    name: 'durations out of bounds',
    yaml: `${group('durations')}
  local:
    v4pool: {subnet: 192.0.2.0/24, pool: 192.0.2.10/32}
    releaseCooldown: 25h
    reserveFor: for ever
  conflictCheck: {wait: 6s, quarantine: 1s}`,
    problems: [
      'spec.local.releaseCooldown: 25h is out of bounds: write 0s to 24h',
      'spec.local.reserveFor: "for ever" is not a duration: write it like 100ms, 30s or 1m30s',
      'spec.conflictCheck.wait: 6s is out of bounds: write 1ms to 5s',
      'spec.conflictCheck.quarantine: 1s is out of bounds: write 1m to 720h',
    ],
    refusal: [
      'write a duration up to 24h',
      'write a duration up to 8760h',
      'write a duration from 1ms to 5s',
      'write a duration from 1m to 720h',
    ],
  },
  {
    name: "upstream's default agent",
    yaml: `${agent('default')}
  local: {localInterface: default, dummyInterface: kube-lb0}`,
    problems: [],
    refusal: [],
  },
  {
    name: "v1's agent",
    yaml: `${head('LBNodeAgent', 'purelb.io/v1', 'old')}
  local: {localint: default, extlbint: kube-lb0, sendgarp: true}`,
    problems: [],
    refusal: [],
  },
  {
    name: 'an agent with everything that upstream knows',
    yaml: `${agent('upstream')}
  nodeSelector:
    matchExpressions:
    - {key: rack, operator: In, values: [a, b]}
  local:
    localInterface: ^eth
    interfaces: [eth1]
    garpConfig: {enabled: true, initialDelay: 100ms, count: 3, interval: 500ms, verifyBeforeSend: true}
    addressConfig:
      localInterface: {validLifetime: 300, preferredLifetime: 300, noPrefixRoute: true}
      dummyInterface: {validLifetime: 0, preferredLifetime: 0, noPrefixRoute: false}`,
    problems: [],
    refusal: [],
  },
  {
    name: 'failover timings out of bounds',
    yaml: `${agent('hasty')}
  local:
    failover: {probeInterval: 5ms, misses: 1, damping: {window: 25h}}`,
    problems: [
      'spec.local.failover.probeInterval: 5ms is out of bounds: write 20ms to 10s',
      'spec.local.failover.misses: 1 is out of bounds: write 2 to 100',
      'spec.local.failover.damping.window: 25h is out of bounds: write 1s to 24h',
    ],
    refusal: ['spec.local.failover.misses: Invalid value: 1'],
  },
  {
    name: 'a selector of nodes that means nothing',
    yaml: `${agent('selector')}
  nodeSelector:
    matchExpressions:
    - {key: rack, operator: In}
  local: {}`,
    problems: ['spec.nodeSelector.matchExpressions[0].values: In needs at least one value'],
    refusal: ['In and NotIn need values'],
  },
  {
    name: 'BGP with one router',
    yaml: `${bgp('one-router')}
  global: {asn: 4200000001}
  neighbors:
  - config: {peerAsn: 64501, neighborAddress: 192.0.2.1}
  netlinkImport: {enabled: true, interfaceList: [kube-lb0]}`,
    problems: [],
    refusal: [],
  },
  {
    name: 'BGP that nobody carries out, which the schema takes',
    yaml: `${bgp('confederation')}
  global: {asn: 64500, confederation: {enabled: true, identifier: 64499}}`,
    problems: ['spec.global.confederation: confederations are not carried out: remove it'],
    refusal: [],
  },
  {
    name: 'BGP neighbours that cannot be',
    yaml: `${bgp('neighbours')}
  global: {asn: 64500, routerIDPool: 10.0.0.0/25}
  neighbors:
  - config: {peerAsn: 64501}
  - config: {neighborAddress: 192.0.2.1}
  - config: {peerAsn: 64501, neighborAddress: 'fe80::1'}
    bfd: {desiredMinimumTxInterval: 50000}`,
    problems: [
      'spec.global.routerIDPool: 10.0.0.0/25 must be an IPv4 prefix of /24 or wider, such as 10.255.0.0/16',
      'spec.neighbors[0].config: give neighborAddress, or neighborInterface for unnumbered peering',
      'spec.neighbors[1].config.peerAsn: is missing',
      'spec.neighbors[2].config: BFD with a link-local neighborAddress needs its zone, such as fe80::1%eth0',
    ],
    refusal: [
      'write an IPv4 prefix of /24 or wider',
      'give neighborAddress, or neighborInterface for unnumbered peering',
      'give peerAsn, or a peerGroup that has one',
      'BFD with a link-local neighborAddress needs its zone',
    ],
  },
];
