/** The annotations that people and our programs write, each spelt here and nowhere else. */

/** On Services, set by people. */
export const requestAnnotations = {
  serviceGroup: 'purelb.io/service-group',
  addresses: 'purelb.io/addresses',
  sharingKey: 'purelb.io/allow-shared-ip',
  multiPool: 'purelb.io/multi-pool',
  reEvaluate: 'purelb.io/re-evaluate',
  allowLocal: 'purelb.io/allow-local',
  nodeAffinity: 'purelb.io/node-affinity',
  move: 'purelb.io/move',
} as const;

/** On Services, set by people: what their routes are to carry, as far as the BGPConfiguration allows it. */
export const routeAnnotations = {
  communities: 'bgp.purelb.io/communities',
  asPathPrepend: 'bgp.purelb.io/as-path-prepend',
  med: 'bgp.purelb.io/med',
  localPref: 'bgp.purelb.io/local-pref',
} as const;

/** On Services, set by the allocator and the agents. */
export const resultAnnotations = {
  allocatedBy: 'purelb.io/allocated-by',
  allocatedFrom: 'purelb.io/allocated-from',
  allocatedPrefixes: 'purelb.io/allocated-prefixes',
  poolType: 'purelb.io/pool-type',
  skipDad: 'purelb.io/skip-ipv6-dad',
  announcingIpv4: 'purelb.io/announcing-IPv4',
  announcingIpv6: 'purelb.io/announcing-IPv6',
  addedTo: 'purelb.io/added-to',
} as const;

/** Earlier spellings that are removed with the others. */
export const formerAnnotations = {
  announcing: 'purelb.io/announcing',
  announcingUnknown: 'purelb.io/announcing-unknown',
  conflict: 'purelb.io/conflict',
} as const;

/** On the Lease of each node, set by its agent. */
export const leaseAnnotations = {
  subnets: 'purelb.io/subnets',
  instance: 'purelb.io/instance',
  links: 'purelb.io/links',
  failing: 'purelb.io/failing',
  handing: 'purelb.io/handing',
  lifetimes: 'purelb.io/lifetimes',
  unmarked: 'purelb.io/unmarked',
  peerKeys: 'purelb.io/peer-keys',
  conflicts: 'purelb.io/conflicts',
} as const;

/** On the agents' pods, set by themselves. */
export const podAnnotations = {
  routerId: 'bgp.purelb.io/router-id',
  routerIdSource: 'bgp.purelb.io/router-id-source',
  asn: 'bgp.purelb.io/asn',
} as const;

/** The value of `allocated-by` on Services whose addresses are ours. */
export const brand = 'PureLB';

/** The one value of `node-affinity` that means something. */
export const endpointAffinity = 'service-endpoints';
