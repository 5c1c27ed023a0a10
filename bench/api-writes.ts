/** What the programs write to the API server during a measurement. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentCluster } from './agent-cluster.ts';

/** By program and request, such as `agent: patch services`. */
export type Writes = ReadonlyMap<string, number>;

export interface WriteSums {
  readonly events: number;
  /** Without Events and Leases. */
  readonly others: number;
  readonly renewals: number;
}

const settleMs = 3_000;

export function countWrites(cluster: AgentCluster): Writes {
  const all = new Map<string, number>();
  for (const program of ['agent', 'allocator'] as const) {
    for (const [what, count] of cluster.writes(program)) {
      all.set(`${program}: ${what}`, count);
    }
  }
  return all;
}

/** Waits until nothing but Leases is written any more. */
export async function settleWrites(cluster: AgentCluster, before: Writes) {
  let last = '';
  for (;;) {
    const after = countWrites(cluster);
    const since = [...after]
      .map(([what, count]) => [what, count - (before.get(what) ?? 0)] as const)
      .filter(([, count]) => count > 0);
    const text = since
      .filter(([what]) => !isLease(what))
      .map(([what, count]) => `${what} ${count}`)
      .join(', ');
    if (text === last) return { text, sums: sumOf(since) };
    last = text;
    await sleep(settleMs);
  }
}

function sumOf(writes: readonly (readonly [string, number])[]): WriteSums {
  const sum = (isCounted: (what: string) => boolean) =>
    writes.reduce((total, [what, count]) => total + (isCounted(what) ? count : 0), 0);
  return {
    events: sum(isEvent),
    renewals: sum(isLease),
    others: sum((what) => !isEvent(what) && !isLease(what)),
  };
}

function isEvent(what: string): boolean {
  return what.endsWith('events');
}

function isLease(what: string): boolean {
  return what.endsWith('leases');
}
