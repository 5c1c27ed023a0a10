/** Hosts and segments as the commands that make them. */

import { formatPrefix } from '../../src/model/prefix.ts';
import type { Host } from './host.ts';
import type { HostPlan, RoutePlan } from './network-plan.ts';
import type { Segment } from './segment.ts';

// IFNAMSIZ is 16 with the closing zero.
const longestLinkName = 15;

// A cable whose two ends have the same index by chance counts as no pair for the kernel, which then takes up to a
// second to notice that its carrier came (linkwatch_urgent_event). Indices on segments start from 1.
export const firstNicIndex = 1001;

/** `ip -batch` text that makes the namespaces and, without a detour through ours, the cables between them. */
export function creationBatch(
  segments: readonly Pick<Segment, 'namespace'>[],
  hosts: readonly Pick<Host, 'namespace' | 'nics'>[],
): string {
  const namespaces = [...segments, ...hosts].map(({ namespace }) => `netns add ${namespace}`);
  const cables = hosts.flatMap((host) =>
    host.nics.map(({ name, plan, port, segment }, index) => {
      if (port.length > longestLinkName) throw new RangeError(`link name ${port} is too long`);
      const end = `name ${name} index ${firstNicIndex + index} netns ${host.namespace}`;
      const far = `peer name ${port} netns ${segment.namespace} mtu ${plan.mtu}`;
      return `link add ${end} address ${plan.mac} mtu ${plan.mtu} type veth ${far}`;
    }),
  );
  return batch([...namespaces, ...cables]);
}

/** Shell script for a segment's namespace: a switch says nothing by itself. */
export const segmentScript =
  'for link in /proc/sys/net/ipv6/conf/*; do echo 1 > "$link/disable_ipv6"; done\n';

/** Shell script for a host's namespace: the kernel's settings, then links, addresses and routes. */
export function hostScript(host: HostPlan): string {
  const links = ['lo', ...host.nics.map(({ name }) => name)].map((name) => `link set ${name} up`);
  return `${settings(host)}\nip -batch - <<'END'\n${batch(links)}${addressBatch(host)}END\n`;
}

/** `ip -batch` text for what a host loses when its links go down; changes nothing that is there. */
export function addressBatch({ nics, routes }: Pick<HostPlan, 'nics' | 'routes'>): string {
  const addresses = nics.flatMap((nic) =>
    nic.addresses.map((address) => `address replace ${formatPrefix(address)} dev ${nic.name}`),
  );
  return batch([...addresses, ...routes.map(routeCommand)]);
}

function routeCommand({ to, via }: RoutePlan): string {
  return `route replace ${to === undefined ? 'default' : formatPrefix(to)} via ${via}`;
}

function settings({ forwards, detectsDuplicates }: HostPlan): string {
  return [
    'for link in /proc/sys/net/ipv6/conf/*; do',
    '  echo 0 > "$link/accept_ra"',
    // Detection is off where it is off both for `all` links and for the one in question.
    ...(detectsDuplicates ? [] : ['  echo 0 > "$link/accept_dad"']),
    'done',
    'for link in /proc/sys/net/ipv4/conf/*; do echo 0 > "$link/rp_filter"; done',
    ...(forwards ? ['ipv4', 'ipv6'].map(forwardingOn) : []),
  ].join('\n');
}

function forwardingOn(family: string): string {
  return `echo 1 > /proc/sys/net/${family}/conf/all/forwarding`;
}

function batch(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
