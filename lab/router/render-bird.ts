/** The configuration of BIRD 2 as a router. */

import { nodesAsn, type RouterOptions, routerAsn } from './router.ts';

const families = ['ipv4', 'ipv6'] as const;

export function renderBird(options: RouterOptions): string {
  const { host, nodes, bfdMs, unnumbered, hops } = options;
  const named = unnumbered?.nodes.map((address) => `${address}/128`) ?? [];
  const onLink = `interface "${unnumbered?.nic}";`;
  return [
    `router id ${host.ipv4};`,
    'protocol device {}',
    ...(hops === undefined ? [] : ['protocol direct { ipv4; ipv6; }']),
    ...families.map((family) => renderKernel(family, options)),
    ...families.map((family) => renderStatic(family, options)),
    ...(bfdMs === undefined
      ? []
      : [`protocol bfd { interface "*" { interval ${bfdMs} ms; multiplier 3; }; }`]),
    ...(unnumbered === undefined ? [] : [renderAdvertisements(unnumbered.nic)]),
    ...nodes.map((network, index) => renderSessions(`lan${index}`, network, options)),
    ...named.map((each, index) => renderSessions(`link${index}`, each, options, onLink)),
    '',
  ].join('\n');
}

type Family = (typeof families)[number];

/** Next hops that are far are looked up among the routes that the kernel has. */
function renderKernel(family: Family, { hops }: RouterOptions): string {
  const [learn, taken] = hops === undefined ? ['', 'none'] : ['learn; ', 'all'];
  const channel = `${family} { import ${taken}; export where source = RTS_BGP; };`;
  return `protocol kernel { ${learn}${channel} merge paths yes limit 16; scan time 2; }`;
}

function renderStatic(family: Family, { sends = [] }: RouterOptions): string {
  const own = sends.filter((prefix) => prefix.includes(':') === (family === 'ipv6'));
  const routes = own.map((prefix) => `route ${prefix} blackhole;`);
  return `protocol static { ${family}; ${routes.join(' ')} }`;
}

function renderSessions(
  name: string,
  network: string,
  options: RouterOptions,
  ...more: readonly string[]
): string {
  const { asn = routerAsn, holdTime = 9, password, bfdMs, hops } = options;
  const channel = 'import all; export where source = RTS_STATIC; next hop self;';
  return [
    `protocol bgp ${name} {`,
    `  local as ${asn}; neighbor range ${network} as ${options.nodesAsn ?? nodesAsn};`,
    `  dynamic name "${name}_"; hold time ${holdTime}; graceful restart on;`,
    // After an error it would refuse connections for a minute, and then for five.
    '  error wait time 1, 2; error forget time 1;',
    ...more,
    ...(hops === undefined ? [] : [`  multihop ${hops};`]),
    ...(password === undefined ? [] : [`  password "${password}";`]),
    ...(bfdMs === undefined ? [] : ['  bfd on;']),
    `  ipv4 { ${channel} extended next hop on; }; ipv6 { ${channel} };`,
    '}',
  ].join('\n');
}

/** Nothing but that it is there: neither a way out nor addresses. */
function renderAdvertisements(nic: string): string {
  const often = 'min ra interval 3; max ra interval 4; default lifetime 0;';
  return `protocol radv { interface "${nic}" { ${often} prefix ::/0 { skip; }; }; }`;
}
