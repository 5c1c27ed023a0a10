import { addressBits, familyOf, type Ip } from '../../model/ip.ts';
import type { Pool } from '../../model/pool.ts';
import { prefixContains } from '../../model/prefix.ts';
import { findRecorded, type GroupRecords } from '../../model/recorded-subnet.ts';

/**
 * The prefix length of an address that lies in no range: what its group fixes, else what the groups record that it was
 * given from (`names`), else that of the Netbox prefix it lies in. Undefined: nothing says it, and it stands alone, which draws in nobody else's traffic.
 */
export function lengthOutside(
  pool: Pool | undefined,
  { recorded, names }: { readonly recorded: GroupRecords; readonly names: readonly string[] },
  ip: Ip,
): number | undefined {
  const own = names.flatMap((name) => recorded.get(name) ?? []);
  const netbox = pool?.source.kind === 'netbox' ? pool.source : undefined;
  const length =
    netbox?.prefixLength ??
    findRecorded(own, ip)?.prefixLength ??
    netbox?.prefixes.find((prefix) => prefixContains(prefix, ip))?.length;
  return length === undefined ? undefined : Math.min(length, addressBits[familyOf(ip)]);
}
