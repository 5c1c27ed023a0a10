/**
 * Services as nftables rules. The first packet of a connection is sent to an endpoint by chance; connection tracking
 * does the rest. The whole table is replaced in one transaction.
 */

import type { Family, ForwardedEndpoint, ForwardedPort } from './forwarded-port.ts';

export const tableName = 'lab-forwarder';

/** On packets whose source becomes the node's, as kube-proxy marks them. */
const masqueradeMark = '0x4000';
/** On tracked TCP connections that were forwarded; UDP ones carry the number of their endpoint. */
const tcpConnectionMark = 1;

export interface RulesetOptions {
  /** The subnets of all pods: packets from there to a load balancer's address go to any endpoint. */
  readonly podCidrs: readonly string[];
  /** A number above 1 for each UDP endpoint, by which its connections can be found again. */
  readonly connectionMark: (endpoint: ForwardedEndpoint) => number;
}

export function renderRuleset(ports: readonly ForwardedPort[], options: RulesetOptions): string {
  const body = [
    ...ports.flatMap((port, index) => serviceChains(port, index, options)),
    ...(['ip', 'ip6'] as const).flatMap((family) => mapOf(ports, family)),
    ...baseChains,
  ];
  const lines = body.map((line) => (line === '' ? '' : `  ${line}`));
  return [
    `table inet ${tableName}`,
    `delete table inet ${tableName}`,
    `table inet ${tableName} {`,
    ...lines,
    '}',
    '',
  ].join('\n');
}

/** Into a chain by protocol, address and port, in each family. */
const dispatch = ['ip', 'ip6'].map(
  (family) => `    meta l4proto . ${family} daddr . th dport vmap @${family}-services`,
);
const refuse = ['ip', 'ip6'].map(
  (family) => `    meta l4proto . ${family} daddr . th dport @${family}-refused reject`,
);

const baseChains: readonly string[] = [
  'chain prerouting {',
  '    type nat hook prerouting priority dstnat;',
  ...dispatch,
  '}',
  'chain output {',
  // The name for it is known at the other hook only.
  '    type nat hook output priority -100;',
  ...dispatch,
  '}',
  'chain postrouting {',
  '    type nat hook postrouting priority srcnat;',
  `    meta mark and ${masqueradeMark} == ${masqueradeMark} masquerade fully-random`,
  '}',
  ...['input', 'forward', 'output'].flatMap((hook) => [
    `chain refuse-${hook} {`,
    `    type filter hook ${hook} priority filter;`,
    ...refuse,
    '}',
  ]),
];

function mapOf(ports: readonly ForwardedPort[], family: Family): readonly string[] {
  const own = ports
    .map((port, index) => ({ ...port, index }))
    .filter((port) => port.family === family);
  const entry = ({ protocol, port }: ForwardedPort, ip: string) => `${protocol} . ${ip} . ${port}`;
  const alive = own.filter(({ endpoints }) => endpoints.length > 0);
  const verdicts = alive.flatMap((port) => [
    ...port.clusterIps.map((ip) => `${entry(port, ip)} : goto service-${port.index}`),
    ...port.externalIps.map((ip) => `${entry(port, ip)} : goto external-${port.index}`),
  ]);
  const refused = own
    .filter(({ endpoints }) => endpoints.length === 0)
    .flatMap((port) => [...port.clusterIps, ...port.externalIps].map((ip) => entry(port, ip)));
  const key = `inet_proto . ${family === 'ip' ? 'ipv4' : 'ipv6'}_addr . inet_service`;
  return [
    `map ${family}-services {`,
    `    type ${key} : verdict`,
    ...elements(verdicts),
    '}',
    `set ${family}-refused {`,
    `    type ${key}`,
    ...elements(refused),
    '}',
  ];
}

/** Two Services that share an address have different ports; should they not, the first one wins. */
function elements(items: readonly string[]): readonly string[] {
  const unique = new Map<string, string>();
  for (const item of items) {
    const [key = ''] = item.split(' : ');
    if (!unique.has(key)) unique.set(key, item);
  }
  return unique.size === 0 ? [] : [`    elements = { ${[...unique.values()].join(', ')} }`];
}

function serviceChains(
  service: ForwardedPort,
  index: number,
  options: RulesetOptions,
): readonly string[] {
  const { endpoints } = service;
  if (endpoints.length === 0) return [];
  const all = endpoints.map((_, number) => number);
  return [
    ...endpoints.flatMap((endpoint, number) =>
      endpointChain(service, endpoint, `${index}-${number}`, options),
    ),
    `chain service-${index} {`,
    `    comment "${service.name}"`,
    choice(index, all),
    '}',
    `chain external-${index} {`,
    ...externalRules(service, index, options).map((rule) => `    ${rule}`),
    '}',
  ];
}

/** A pod that is sent to itself would answer itself past the node, unless the node stands in for it. */
function endpointChain(
  { family, protocol }: ForwardedPort,
  endpoint: ForwardedEndpoint,
  id: string,
  { connectionMark }: RulesetOptions,
): readonly string[] {
  const { ip, port } = endpoint;
  const mark = protocol === 'tcp' ? tcpConnectionMark : connectionMark(endpoint);
  const to = family === 'ip' ? `${ip}:${port}` : `[${ip}]:${port}`;
  return [
    `chain endpoint-${id} {`,
    `    ${family} saddr ${ip} meta mark set meta mark or ${masqueradeMark}`,
    `    ct mark set ${mark}`,
    `    meta l4proto ${protocol} dnat ${family} to ${to}`,
    '}',
  ];
}

function choice(index: number, numbers: readonly number[]): string {
  const ways = numbers.map((number, place) => `${place} : goto endpoint-${index}-${number}`);
  return `    numgen random mod ${numbers.length} vmap { ${ways.join(', ')} }`;
}

/** With Local, others than clients (pods, this node) may still reach any endpoint. */
function externalRules(
  { endpoints, isLocal, family }: ForwardedPort,
  index: number,
  { podCidrs }: RulesetOptions,
): readonly string[] {
  const masquerade = `meta mark set meta mark or ${masqueradeMark}`;
  if (!isLocal) return [masquerade, `goto service-${index}`];
  const pods = podCidrs.filter((cidr) => cidr.includes(':') === (family === 'ip6'));
  const here = endpoints.flatMap(({ isHere }, number) => (isHere ? [number] : []));
  return [
    ...pods.map((cidr) => `${family} saddr ${cidr} goto service-${index}`),
    `fib saddr type local ${masquerade} goto service-${index}`,
    here.length === 0 ? 'drop' : choice(index, here).trim(),
  ];
}
