/** What becomes of each pool: how many of its addresses are in use and free, and what is in quarantine. */

import type { Family, Ip } from '../../model/ip.ts';
import type { Pool } from '../../model/pool.ts';
import type { RecordedSubnet } from '../../model/recorded-subnet.ts';
import type { PoolOutcome } from './allocation-plan.ts';
import type { Claimant } from './claimant.ts';
import { forgetAt } from './conflict-limits.ts';
import type { Place } from './place.ts';
import { type Departure, planQuarantine } from './plan-quarantine.ts';
import { planSubnets } from './plan-subnets.ts';
import type { Round } from './round.ts';
import type { Outcome } from './serve.ts';

/** A Service and what it got; without an outcome where it was not served. */
export interface Served {
  readonly claimant: Claimant;
  readonly outcome: Outcome | undefined;
}

/** `served`: all but those that are settled, and hold what they hold. */
export function planPools(served: readonly Served[], round: Round): readonly PoolOutcome[] {
  const held = lazily(() => findHeld(served));
  const isHeld = (ip: Ip) => held().has(ip) || round.occupancy.isSettled(ip);
  const outside = lazily(() => findOutside(served));
  const recorded = recordedOf(round);
  const departures = Map.groupBy(
    served.flatMap(departuresOf).filter(({ place }) => !isHeld(place.ip)),
    ({ place }) => place.pool?.name,
  );
  return round.state.pools.pools.map((pool) => ({
    pool,
    allocated: countAllocated(pool, held, round),
    available: countAvailable(pool, round),
    report: round.state.sources?.get(pool.name),
    subnets: planSubnets({ pool, present: recorded.get(pool.name) ?? [], outside: outside() }),
    quarantine: planQuarantine({
      pool,
      present: round.quarantine.get(pool.name) ?? [],
      reported: round.conflicts.reported.get(pool.name) ?? [],
      departures: departures.get(pool.name) ?? [],
      isHeld,
      lostHolders: round.state.lostHolders,
      now: round.state.now,
    }),
  }));
}

/** Addresses of ours in no range; those who are settled and ours have none. */
function findOutside(served: readonly Served[]): readonly Place[] {
  return served
    .flatMap(({ outcome }) => outcome?.addresses ?? [])
    .filter(({ use }) => use === undefined);
}

function recordedOf({ state }: Round): ReadonlyMap<string, readonly RecordedSubnet[]> {
  return new Map(
    state.pools.verdicts.flatMap((verdict) =>
      'pool' in verdict ? [[verdict.pool.name, verdict.group.status.subnets]] : [],
    ),
  );
}

/** When the next entry of a quarantine ends (epoch ms). */
export function findWakeTime(outcomes: readonly PoolOutcome[], now: number): number | undefined {
  const ends = outcomes.flatMap(({ pool, quarantine }) =>
    quarantine.map((entry) => (entry.until > now ? entry.until : forgetAt(entry, pool))),
  );
  return ends.length === 0 ? undefined : ends.reduce((left, right) => Math.min(left, right));
}

function findHeld(served: readonly Served[]): ReadonlyMap<Ip, Place> {
  const held = new Map<Ip, Place>();
  for (const each of served) {
    for (const place of remainingOf(each)) held.set(place.ip, place);
  }
  return held;
}

/** Most plans need it for nothing. */
function lazily<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}

/** Kept or given; a Service that is released keeps nothing. */
function remainingOf({ claimant, outcome }: Served): readonly Place[] {
  if (claimant.fate.kind === 'release') return [];
  return outcome?.addresses ?? claimant.held;
}

const none: readonly Departure[] = [];

function departuresOf({ claimant, outcome }: Served): readonly Departure[] {
  const { service, fate, held } = claimant;
  if (fate.kind !== 'release' && (outcome?.givesUp.length ?? 0) === 0) return none;
  const isReleased = fate.kind === 'release' && fate.cause !== 'class';
  const places = isReleased ? held : (outcome?.givesUp.map(({ place }) => place) ?? []);
  return places
    .filter(({ use }) => use !== undefined)
    .map((place) => ({ service, place, isReleased }));
}

/** By the Services' status: what is given up counts until its release is written. */
function countAllocated(
  pool: Pool,
  held: () => ReadonlyMap<Ip, Place>,
  { occupancy }: Round,
): PoolOutcome['allocated'] {
  const count = (family: Family) =>
    pool.source.kind === 'cluster'
      ? occupancy.places.rangesOf(pool, family).reduce((sum, { inUse }) => sum + inUse, 0)
      : [...held().values()].filter(
          (place) => place.pool?.name === pool.name && place.family === family,
        ).length;
  return { ipv4: count('ipv4'), ipv6: count('ipv6') };
}

function countAvailable(pool: Pool, { occupancy, state }: Round): PoolOutcome['available'] {
  if (pool.source.kind !== 'cluster') return state.sources?.get(pool.name)?.stats?.available;
  const count = (family: Family) =>
    occupancy.places.rangesOf(pool, family).reduce((sum, range) => sum + range.countFree(), 0n);
  return { ipv4: count('ipv4'), ipv6: count('ipv6') };
}
