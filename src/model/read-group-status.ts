/** ServiceGroup.status: what earlier runs of the allocator wrote down. */

import { type Condition, readConditions } from './condition.ts';
import { type Cursor, type Reading, read } from './cursor.ts';
import { addressBits, familyOf, ipOf, parseIp } from './ip.ts';
import type { KubeObject } from './kube-object.ts';
import { parseMac } from './mac.ts';
import type { QuarantinedAddress } from './pool.ts';
import { networkOf, parsePrefix, prefixOf } from './prefix.ts';
import { quarantineReasons } from './reasons.ts';
import { mostSubnets, type RecordedSubnet } from './recorded-subnet.ts';
import { parseTimestamp } from './timestamp.ts';

export interface GroupStatus {
  /** `Local`, `Remote` or `Auto`, as last written. */
  readonly announce: string | undefined;
  readonly quarantine: readonly QuarantinedAddress[];
  readonly subnets: readonly RecordedSubnet[];
  readonly conditions: readonly Condition[];
}

/** Never refused: what cannot be read of a status is left out and warned of. */
export function readGroupStatus(object: KubeObject): Reading<GroupStatus> {
  return read(object, (root) => {
    const { status } = root.lenient().fields('status');
    const at = status.fields('announce', 'quarantine', 'subnets', 'conditions');
    return {
      announce: at.announce.string(),
      quarantine: readQuarantine(at.quarantine),
      subnets: readSubnets(at.subnets),
      conditions: readConditions(at.conditions),
    };
  });
}

function readQuarantine(cursor: Cursor): readonly QuarantinedAddress[] {
  return cursor.items().flatMap((item) => item.attempt(readQuarantined) ?? []);
}

function readSubnets(cursor: Cursor): readonly RecordedSubnet[] {
  const items = cursor.items().slice(0, mostSubnets);
  return items.flatMap((item) => item.attempt(readSubnet) ?? []);
}

function readSubnet(cursor: Cursor): RecordedSubnet {
  const at = cursor.fields('subnet', 'prefixLength');
  const subnet = networkOf(at.subnet.required().parse(parsePrefix) ?? prefixOf('::/128'));
  const max = addressBits[familyOf(subnet.ip)];
  return { subnet, prefixLength: at.prefixLength.required().integer({ min: 0, max }) ?? max };
}

function readQuarantined(cursor: Cursor): QuarantinedAddress {
  const at = cursor.fields('address', 'until', 'reason', 'mac', 'node', 'service');
  return {
    ip: at.address.required().parse(parseIp) ?? ipOf('::'),
    until: at.until.required().parse(parseTimestamp) ?? 0,
    reason: at.reason.required().oneOf(quarantineReasons) ?? 'Conflict',
    mac: at.mac.parse(parseMac),
    node: at.node.string(),
    service: at.service.string(),
  };
}
