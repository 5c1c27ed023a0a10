/** One pool's source as the desk has it: the way to it, how often it is looked through, what it has left. */

import type { SourceCounts } from '../decide/allocation/allocation-state.ts';
import { isFailure } from '../ipam/address-source.ts';
import type { Pool } from '../model/pool.ts';
import type { SourceAudit } from './source-audits.ts';
import type { SourceLine } from './source-line.ts';

export interface Counter {
  readonly line: SourceLine;
  readonly audit: SourceAudit;
  readonly spec: string;
  /** The group is gone, or no longer in force, while Services have addresses from it. */
  isRetired: boolean;
  /** The group is being deleted, and no Service uses it. */
  isClearing: boolean;
  counts: SourceCounts | undefined;
  /** Monotonic. */
  auditAt: number;
  countAt: number;
}

/** What decides how a pool's source is reached. */
export function specOf({ identity, source, sharingScope }: Pool): string {
  const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  return JSON.stringify([identity.uid, source, sharingScope], text);
}

/** A source that was just opened has been looked at already. */
export async function auditSource({ line, audit }: Counter, isFirst: boolean): Promise<void> {
  if (!isFirst) await line.lookAgain();
  await audit.run();
}

export async function readCounts(line: SourceLine): Promise<SourceCounts | undefined> {
  const outcome = await line.run('stats', 'stats', (source, signal) => source.stats(signal));
  if (isFailure(outcome)) return undefined;
  const { allocated, capacity, displayAddresses: addresses } = outcome;
  const free = (family: 'ipv4' | 'ipv6') => {
    const left = (capacity?.[family] ?? 0n) - allocated[family];
    return left > 0n ? left : 0n;
  };
  const available = capacity && { ipv4: free('ipv4'), ipv6: free('ipv6') };
  return { available, addresses };
}
