/** What the allocator gave to a Service and the agents made of it: `status.loadBalancer` and our annotations. */

import { parseAllocatedPrefixes } from './address-lists.ts';
import { readAllocation } from './allocation-record.ts';
import { brand, resultAnnotations as names } from './annotations.ts';
import { parseAnnouncing, type Slot } from './announcing.ts';
import type { Condition } from './condition.ts';
import type { Cursor } from './cursor.ts';
import { type Family, familyOf, parseIp } from './ip.ts';
import type { AddressGrant } from './load-balancer.ts';
import { isProblem } from './parsed.ts';

export function readGrant(
  annotations: Cursor,
  loadBalancer: Cursor,
  conditions: readonly Condition[],
): AddressGrant {
  const at = annotations.fields(...Object.values(names));
  const entries = readIngress(loadBalancer);
  const ingress = entries.flatMap((ip) => ip ?? []);
  const record = readAllocation(conditions);
  const announcing = [at[names.announcingIpv4], at[names.announcingIpv6]];
  const written = announcing.flatMap((slot) => parseAnnouncing(slot.string() ?? ''));
  const isOwn = ({ ip }: Slot) => ingress.includes(ip) || record?.ips.includes(ip) === true;
  const slots = written.filter(isOwn);
  const strays = written.filter((slot) => !isOwn(slot));
  return {
    isOurs: at[names.allocatedBy].string() === brand,
    record,
    ingress,
    hasForeignIngress: entries.includes(undefined),
    pools: readPoolNames(at[names.allocatedFrom].string() ?? ''),
    poolType: at[names.poolType].oneOf(['local', 'remote', 'auto']),
    prefixes: parseAllocatedPrefixes(at[names.allocatedPrefixes].string() ?? ''),
    skipsDad: at[names.skipDad].string() === 'true',
    slots,
    strayFamilies: strays.length === 0 ? none : [...new Set(strays.map(({ ip }) => familyOf(ip)))],
    addedTo: at[names.addedTo].string(),
  };
}

const none: readonly Family[] = [];

/** Undefined for each entry that is no address. */
function readIngress(loadBalancer: Cursor) {
  const { ingress } = loadBalancer.fields('ingress');
  return ingress.items().map((item) => {
    const ip = parseIp(item.fields('ip').ip.string() ?? '');
    return isProblem(ip) ? undefined : ip.value;
  });
}

/** Upstream writes one name for each address: `default, default`. */
function readPoolNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}
