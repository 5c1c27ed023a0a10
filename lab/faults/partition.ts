import type { Host } from '../network/host.ts';
import type { Segment } from '../network/segment.ts';
import type { Fault } from './fault.ts';
import { inflictOnWire } from './wire-fault.ts';

/**
 * Splits a segment as a broken trunk between switches does: hosts in different groups no longer hear each other,
 * hosts in no group stay together, and nobody's carrier changes.
 */
export async function partition(
  segment: Segment,
  groups: readonly (readonly Host[])[],
): Promise<Fault> {
  const ports = groups.map((group) => group.flatMap((host) => portsOn(segment, host)));
  const names = groups.map((group) => group.map(({ name }) => name).join('+')).join(' | ');
  return inflictOnWire(`split ${segment.name}: ${names}`, [
    { segment, fault: { kind: 'partition', groups: ports } },
  ]);
}

function portsOn(segment: Segment, host: Host): readonly string[] {
  const ports = host.nics.filter((nic) => nic.segment === segment).map(({ port }) => port);
  if (ports.length === 0) throw new RangeError(`${host.name} is not on ${segment.name}`);
  return ports;
}
