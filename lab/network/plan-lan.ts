/** Plans the usual shape: LANs of nodes, a router between them, clients on a LAN or beyond the router. */

import type { Family } from '../../src/model/ip.ts';
import { addressIn, hostNumbers, lanSegment, macFor, outsideSegment } from './address-plan.ts';
import type { HostPlan, NetworkPlan, NicPlan, Role, SegmentPlan } from './network-plan.ts';

export interface LanOptions {
  /** How many nodes: `3` on one LAN, or `[3, 2]` on two LANs with a router between them. */
  readonly nodes: number | readonly number[];
  /** The segment of each client; by default one client, on the only LAN or, where there are more, beyond the router. */
  readonly clients?: readonly string[];
  readonly families?: readonly Family[];
  readonly mtu?: number;
  /** Leaves IPv6 duplicate address detection on; see HostPlan. */
  readonly detectsDuplicates?: boolean;
}

export function planLan(options: LanOptions): NetworkPlan {
  const counts = typeof options.nodes === 'number' ? [options.nodes] : options.nodes;
  const lans = counts.map((_, index) => lanSegment(index + 1));
  const clients = options.clients ?? [lans.length === 1 ? 'lan1' : outsideSegment.name];
  const isOutsideUsed = clients.includes(outsideSegment.name);
  const segments = [...lans, ...(isOutsideUsed ? [outsideSegment] : [])].map((segment) =>
    withOptions(segment, options),
  );
  const hasRouter = segments.length > 1;
  const shared = { hasRouter, detectsDuplicates: options.detectsDuplicates ?? false };
  return {
    segments,
    hosts: [
      ...(hasRouter ? [planRouter(segments, shared.detectsDuplicates)] : []),
      ...planNodes(segments, counts, shared),
      ...clients.map((name, index) =>
        planHost({
          ...shared,
          name: clients.length === 1 ? 'client' : `client${index + 1}`,
          role: 'client',
          number: checkedNumber('client', hostNumbers.firstClient + index),
          segments: [segmentNamed(segments, name)],
        }),
      ),
    ],
  };
}

export interface HostOptions {
  readonly name: string;
  readonly role: Role;
  /** Last part of its addresses. */
  readonly number: number;
  /** One NIC for each: eth0, eth1, … A second one on the same segment is a spare without addresses. */
  readonly segments: readonly SegmentPlan[];
  /** Whether the router is the way out, through the first NIC. */
  readonly hasRouter?: boolean;
  readonly detectsDuplicates?: boolean;
}

/** For shapes that `planLan` does not know: a node on two LANs, a node that joins later. */
export function planHost(options: HostOptions): HostPlan {
  const { name, role, number, segments, hasRouter = false, detectsDuplicates = false } = options;
  const gateways = hasRouter ? subnetsOf(segments[0]) : [];
  return {
    name,
    role,
    nics: segments.map((segment, index) => planNic(segment, index, number, segments)),
    routes: gateways.map((subnet) => ({ via: addressIn(subnet, hostNumbers.router).ip })),
    forwards: role === 'router',
    detectsDuplicates,
  };
}

function planRouter(segments: readonly SegmentPlan[], detectsDuplicates: boolean): HostPlan {
  const number = hostNumbers.router;
  return planHost({ name: 'router', role: 'router', number, segments, detectsDuplicates });
}

/** Nodes are numbered through, whichever LAN they are on, so that a name and an address belong together. */
function planNodes(
  segments: readonly SegmentPlan[],
  counts: readonly number[],
  shared: Pick<HostOptions, 'hasRouter' | 'detectsDuplicates'>,
): readonly HostPlan[] {
  const places = counts.flatMap((count, index) =>
    Array.from({ length: count }, () => segments.slice(index, index + 1)),
  );
  return places.map((place, index) =>
    planHost({
      ...shared,
      name: `node${index + 1}`,
      role: 'node',
      number: checkedNumber('node', hostNumbers.firstNode + index),
      segments: place,
    }),
  );
}

function planNic(
  segment: SegmentPlan,
  index: number,
  hostNumber: number,
  all: readonly SegmentPlan[],
): NicPlan {
  const isSpare = all.indexOf(segment) !== index;
  return {
    name: `eth${index}`,
    segment: segment.name,
    mac: macFor(segment.number, index, hostNumber),
    addresses: isSpare ? [] : subnetsOf(segment).map((subnet) => addressIn(subnet, hostNumber)),
    mtu: segment.mtu,
  };
}

function subnetsOf(segment: SegmentPlan | undefined) {
  return [segment?.ipv4, segment?.ipv6].filter((subnet) => subnet !== undefined);
}

function withOptions(segment: SegmentPlan, { families, mtu }: LanOptions): SegmentPlan {
  const { ipv4, ipv6, ...rest } = segment;
  return {
    ...rest,
    ...(ipv4 !== undefined && families?.includes('ipv4') !== false ? { ipv4 } : {}),
    ...(ipv6 !== undefined && families?.includes('ipv6') !== false ? { ipv6 } : {}),
    mtu: mtu ?? segment.mtu,
  };
}

function segmentNamed(segments: readonly SegmentPlan[], name: string): SegmentPlan {
  const found = segments.find((segment) => segment.name === name);
  if (found !== undefined) return found;
  const known = segments.map((segment) => segment.name).join(', ');
  throw new RangeError(`no segment "${name}" for a client; there are: ${known}`);
}

function checkedNumber(role: 'node' | 'client', number: number): number {
  const last = role === 'node' ? hostNumbers.lastNode : hostNumbers.lastClient;
  const first = role === 'node' ? hostNumbers.firstNode : hostNumbers.firstClient;
  if (number > last) throw new RangeError(`a lab has at most ${last - first + 1} ${role}s`);
  return number;
}
