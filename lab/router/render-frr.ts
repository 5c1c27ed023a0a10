/** The configuration of FRR as a router, for all of its programs. */

import { nodesAsn, type RouterOptions, routerAsn } from './router.ts';

export function renderFrr(options: RouterOptions): string {
  const { host, asn = routerAsn, holdTime = 9, sends = [] } = options;
  return [
    ...renderLinks(options),
    `router bgp ${asn}`,
    ` bgp router-id ${host.ipv4}`,
    ' no bgp ebgp-requires-policy',
    ' no bgp network import-check',
    ` timers bgp ${Math.floor(holdTime / 3)} ${holdTime}`,
    ...renderGroup(options),
    ...renderNeighbours(options),
    ' address-family ipv4 unicast',
    '  maximum-paths 16',
    '  neighbor NODES soft-reconfiguration inbound',
    ...sends.filter(isIpv4).map((prefix) => `  network ${prefix}`),
    ' exit-address-family',
    ' address-family ipv6 unicast',
    '  neighbor NODES activate',
    '  maximum-paths 16',
    ...sends.filter((each) => !isIpv4(each)).map((prefix) => `  network ${prefix}`),
    ' exit-address-family',
    '',
  ].join('\n');
}

/** Of advertisements it sends only that it is there: neither a way out nor addresses. */
function renderLinks({ unnumbered, bfdMs }: RouterOptions): readonly string[] {
  const often = [' no ipv6 nd suppress-ra', ' ipv6 nd ra-interval 3', ' ipv6 nd ra-lifetime 0'];
  const quick = [`  transmit-interval ${bfdMs}`, `  receive-interval ${bfdMs}`];
  return [
    ...(unnumbered === undefined ? [] : [`interface ${unnumbered.nic}`, ...often, 'exit']),
    ...(bfdMs === undefined ? [] : ['bfd', ' profile quick', ...quick]),
  ];
}

/** What all nodes have in common. */
function renderGroup(options: RouterOptions): readonly string[] {
  const { password, bfdMs, hops, unnumbered } = options;
  return [
    ' neighbor NODES peer-group',
    ` neighbor NODES remote-as ${options.nodesAsn ?? nodesAsn}`,
    ' neighbor NODES timers connect 1',
    ...(password === undefined ? [] : [` neighbor NODES password ${password}`]),
    ...(bfdMs === undefined ? [] : [' neighbor NODES bfd profile quick']),
    ...(hops === undefined ? [] : [` neighbor NODES ebgp-multihop ${hops}`]),
    ...(unnumbered === undefined ? [] : [' neighbor NODES capability extended-nexthop']),
  ];
}

function renderNeighbours({ nodes, named, unnumbered }: RouterOptions): readonly string[] {
  return [
    ...(named === undefined
      ? nodes.map((network) => ` bgp listen range ${network} peer-group NODES`)
      : named.map((address) => ` neighbor ${address} peer-group NODES`)),
    ...(unnumbered?.nodes ?? []).flatMap((address) => [
      ` neighbor ${address} peer-group NODES`,
      ` neighbor ${address} interface ${unnumbered?.nic}`,
    ]),
  ];
}

const isIpv4 = (prefix: string) => !prefix.includes(':');
