import type { Family } from '../model/ip.ts';
import { formatRange } from '../model/range.ts';
import { isFailure, type SourceFailure, type StatsOutcome } from './address-source.ts';
import { isFailed } from './netbox-api.ts';
import type { NetboxBooks } from './netbox-books.ts';

/** Of more than this nobody wants to know exactly how many are free; Netbox would list each of them. */
const countable = 1024n;

/** What this cluster has from the pool, and what is left for anyone. */
export async function countNetbox(books: NetboxBooks, signal: AbortSignal): Promise<StatsOutcome> {
  const all = await books.listAll(signal);
  if (isFailure(all)) return all;
  const count = (isIpv6: boolean) =>
    BigInt(all.records.filter(({ address }) => address.ip.includes(':') === isIpv6).length);
  const allocated = { ipv4: count(false), ipv6: count(true) };
  const free = { ipv4: 0n, ipv6: 0n };
  for (const family of ['ipv4', 'ipv6'] as const) {
    const left = books.isByTenant
      ? await countReserved(books, family, signal)
      : await countFree(books, family, signal);
    if (typeof left !== 'bigint') return left;
    free[family] = left;
  }
  const capacity = { ipv4: allocated.ipv4 + free.ipv4, ipv6: allocated.ipv6 + free.ipv6 };
  const displayAddresses = books.terms.parents.map(({ range }) => formatRange(range));
  return { kind: 'stats', allocated, capacity, displayAddresses };
}

async function countReserved(
  books: NetboxBooks,
  family: Family,
  signal: AbortSignal,
): Promise<bigint | SourceFailure> {
  const tenant = encodeURIComponent(books.spec.tenant ?? '');
  const vrf = books.terms.vrf ?? 'null';
  const digit = family === 'ipv4' ? 4 : 6;
  const query = `tenant=${tenant}&status=reserved&family=${digit}&vrf_id=${vrf}&limit=1`;
  const found = await books.search(query, signal);
  return isFailure(found) ? found : BigInt(Math.max(0, Math.trunc(found.count)));
}

async function countFree(
  books: NetboxBooks,
  family: Family,
  signal: AbortSignal,
): Promise<bigint | SourceFailure> {
  let sum = 0n;
  for (const parent of books.terms.parents) {
    if (parent.family !== family) continue;
    if (parent.size > countable) {
      sum += parent.size;
      continue;
    }
    const path = `ipam/${parent.path}/available-ips/?limit=${countable}`;
    const outcome = await books.call('GET', path, signal);
    if (isFailed(outcome)) return outcome;
    sum += BigInt(Array.isArray(outcome.body) ? outcome.body.length : 0);
  }
  return sum;
}
