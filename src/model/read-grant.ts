/** What the allocator gave to a Service and the agents made of it: `status.loadBalancer` and our annotations. */

import { parseAllocatedPrefixes } from './address-lists.ts';
import { brand, resultAnnotations as names } from './annotations.ts';
import { parseAnnouncing } from './announcing.ts';
import { parseConflicts } from './conflict.ts';
import type { Cursor } from './cursor.ts';
import { parseIp } from './ip.ts';
import type { AddressGrant } from './load-balancer.ts';
import { isProblem } from './parsed.ts';

export function readGrant(annotations: Cursor, loadBalancer: Cursor): AddressGrant {
  const at = annotations.fields(...Object.values(names));
  const slots = [at[names.announcingIpv4], at[names.announcingIpv6]];
  const ingress = readIngress(loadBalancer);
  return {
    isOurs: at[names.allocatedBy].string() === brand,
    ingress: ingress.flatMap((ip) => ip ?? []),
    hasForeignIngress: ingress.includes(undefined),
    pools: readPoolNames(at[names.allocatedFrom].string() ?? ''),
    poolType: at[names.poolType].oneOf(['local', 'remote', 'auto']),
    prefixes: parseAllocatedPrefixes(at[names.allocatedPrefixes].string() ?? ''),
    skipsDad: at[names.skipDad].string() === 'true',
    slots: slots.flatMap((slot) => parseAnnouncing(slot.string() ?? '')),
    addedTo: at[names.addedTo].string(),
    conflicts: parseConflicts(at[names.conflict].string() ?? ''),
  };
}

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
