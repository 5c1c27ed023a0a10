/** `multiPool`: one address of every range that has nodes, in each family that a Service has. */

import { familyNames } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import type { Claimant } from './claimant.ts';
import { settleFor } from './fill-families.ts';
import { type Obstacle, postpone, refuse, type Wait } from './obstacle.ts';
import { pickFromRange } from './pick-address.ts';
import type { Place } from './place.ts';
import type { RangeUse } from './range-use.ts';
import type { Filling, Round } from './round.ts';

/** The Service's annotation wins over the pool's setting; other sources than ranges have nothing to spread over. */
export function wantsEveryRange({ request }: LoadBalancer, { source }: Pool): boolean {
  return source.kind === 'cluster' && (request.multiPool ?? source.usesMultiPool);
}

export function fillRanges(
  claimant: Claimant,
  pool: Pool,
  kept: readonly Place[],
  round: Round,
): Filling | Obstacle {
  const obstacle = findMultiPoolObstacle(claimant.service, pool);
  if (obstacle !== undefined) return obstacle;
  const ranges = rangesFor(claimant.service, pool, round);
  const homes = ranges.map((range) => round.homes.find(range));
  if (homes.includes('unknown')) {
    const wait = { kind: 'subnets' } as const;
    const unknown = postpone('the nodes and their subnets are not known yet', pool.name, wait);
    return kept.length > 0 ? { additions: [], missing: [unknown] } : unknown;
  }
  const active = ranges.filter((_, index) => homes[index] === 'now');
  const filling = fillActive(claimant, active, kept, round);
  if (filling.additions.length + kept.length > 0) {
    return findBareFamily(claimant.service, filling, kept) ?? filling;
  }
  return explainNone(claimant.service, pool, ranges.length - active.length);
}

function findMultiPoolObstacle({ request }: LoadBalancer, pool: Pool): Obstacle | undefined {
  const context = { pool: pool.name, waitsFor: [{ kind: 'group', name: pool.name }] } as const;
  if (request.sharingKey !== undefined) {
    const message =
      'multi-pool allocation cannot be combined with IP sharing (annotation purelb.io/allow-shared-ip)';
    return refuse('multipool_refused', message, { pool: pool.name });
  }
  if (pool.source.kind !== 'cluster' || !pool.source.balancesPools) return undefined;
  const message = `multi-pool and balancePools allocation are mutually exclusive for pool ${pool.name}`;
  return refuse('multipool_refused', message, context);
}

function rangesFor({ families }: LoadBalancer, pool: Pool, round: Round): readonly RangeUse[] {
  const wanted = families.length > 0 ? [...new Set(families)] : (['ipv4'] as const);
  return wanted.flatMap((family) => round.occupancy.places.rangesOf(pool, family));
}

function fillActive(
  claimant: Claimant,
  active: readonly RangeUse[],
  kept: readonly Place[],
  round: Round,
): Filling {
  const covered = new Set(kept.map(({ use }) => use));
  const additions: Place[] = [];
  const missing: Obstacle[] = [];
  for (const range of active.filter((each) => !covered.has(each))) {
    const place = pickFromRange(claimant, range, round);
    if (place !== undefined) additions.push(place);
    else missing.push(explainFull(range));
  }
  return { additions, missing };
}

function explainFull({ pool, at }: RangeUse): Obstacle {
  const wait = { kind: 'pool', pool: pool.name, family: at.family } as const;
  const message = `range ${at.text} of pool "${pool.name}" exhausted`;
  return refuse('exhausted', message, { pool: pool.name, waitsFor: [wait] });
}

/** Ranges may be left out, but where each family is required each must have an address. */
function findBareFamily(
  service: LoadBalancer,
  { additions }: Filling,
  kept: readonly Place[],
): Obstacle | undefined {
  const has = new Set([...kept, ...additions].map(({ family }) => family));
  const bare = service.families.find((family) => !has.has(family));
  if (bare === undefined) return undefined;
  const message = `no ${familyNames[bare]} range with nodes and a free address for ${service.key}`;
  const obstacle = refuse('exhausted', message, { waitsFor: [{ kind: 'subnets' }] });
  const settled = settleFor(service, { additions, missing: [obstacle] }, kept);
  return 'waitsFor' in settled ? settled : undefined;
}

function explainNone({ key, families }: LoadBalancer, pool: Pool, skipped: number): Obstacle {
  const waits = families.map((family): Wait => ({ kind: 'pool', pool: pool.name, family }));
  const message = `no IPs allocated for service ${key}: ${skipped} ranges skipped (no active nodes)`;
  return refuse('exhausted', message, {
    pool: pool.name,
    waitsFor: [{ kind: 'subnets' }, ...waits],
  });
}
