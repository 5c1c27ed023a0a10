/** Addresses from another source than our own ranges: asked for once, and believed only after a look at what came. */

import { type Family, familyNames, type Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import { type Prefix, prefixContains } from '../../model/prefix.ts';
import { rangeContains } from '../../model/range.ts';
import type { SourceAnswer } from './allocation-state.ts';
import type { Claimant } from './claimant.ts';
import { settleFor } from './fill-families.ts';
import { isObstacle, type Obstacle, postpone, refuse, type Wait } from './obstacle.ts';
import type { Place } from './place.ts';
import type { Filling, Round } from './round.ts';

export function fillFromSource(
  claimant: Claimant,
  pool: Pool,
  kept: readonly Place[],
  round: Round,
): Filling | Obstacle {
  const { service } = claimant;
  const families = missingFamilies(service, kept);
  if (families.length === 0) return { additions: [], missing: [] };
  const wait = waitFor(service, pool, families);
  const answer = round.state.answers.get(service.key);
  if (answer?.pool !== pool.name || isUsedUp(answer, claimant)) {
    return postpone(`${sourceName(pool)} is asked for an address`, pool.name, wait);
  }
  const found = readAnswer(claimant, pool, answer, round);
  if (isObstacle(found)) return { ...found, waitsFor: [...found.waitsFor, wait] };
  const additions = found.filter(({ family }) => families.includes(family));
  const bare = families.filter((family) => !additions.some((place) => place.family === family));
  const missing = bare.map((family) => describeFailure(pool, family, answer, wait));
  return settleFor(service, { additions, missing }, kept);
}

function missingFamilies({ families }: LoadBalancer, kept: readonly Place[]): readonly Family[] {
  const wanted: readonly Family[] = families.length > 0 ? families : ['ipv4'];
  return wanted.filter((family) => !kept.some((place) => place.family === family));
}

/** It was an answer to what the Service asked for before: all of it is given. */
function isUsedUp({ addresses, failures }: SourceAnswer, { held }: Claimant): boolean {
  if (addresses.length === 0 || failures.length > 0) return false;
  return addresses.every((prefix) => held.some(({ ip }) => ip === prefix.ip));
}

function waitFor({ request }: LoadBalancer, pool: Pool, families: readonly Family[]): Wait {
  const { addresses, sharingKey } = request;
  return { kind: 'source', request: { pool: pool.name, families, addresses, sharingKey } };
}

function describeFailure(
  pool: Pool,
  family: Family,
  { failures }: SourceAnswer,
  wait: Wait,
): Obstacle {
  const failure = failures.find((each) => each.family === family);
  const why = failure?.message ?? `gave no ${familyNames[family]} address`;
  const isExhausted = failure === undefined || failure.reason === 'exhausted';
  return refuse(isExhausted ? 'exhausted' : 'other', `${sourceName(pool)} ${why}`, {
    pool: pool.name,
    waitsFor: [wait],
  });
}

/** More than any Service has: an answer with more is a mistake. */
const mostAddresses = 16;

function readAnswer(
  claimant: Claimant,
  pool: Pool,
  { addresses, failures }: SourceAnswer,
  round: Round,
): readonly Place[] | Obstacle {
  const say = (message: string) =>
    refuse('other', `${sourceName(pool)} ${message}`, { pool: pool.name });
  if (addresses.length + failures.length === 0) return say('returned no IPs and no error');
  if (addresses.length > mostAddresses) {
    return say(`returned ${addresses.length} IPs (max ${mostAddresses})`);
  }
  const places = new Map<Ip, Place>();
  for (const prefix of addresses) {
    const found = round.occupancy.places.find(prefix.ip);
    const place = { ...found, prefixLength: lengthOf(pool, prefix) };
    const obstacle = findObstacle(claimant, pool, place, round);
    if (obstacle !== undefined) return typeof obstacle === 'string' ? say(obstacle) : obstacle;
    places.set(place.ip, { ...place, pool });
  }
  return [...places.values()];
}

/** Whoever is about to leave the address is gone by the next plan: that is no refusal. */
function findObstacle(
  claimant: Claimant,
  pool: Pool,
  place: Place,
  { occupancy }: Round,
): Obstacle | string | undefined {
  const unfit = findUnfit(claimant.service, pool, place);
  if (unfit !== undefined) return `returned ${place.ip}, which ${unfit}`;
  if (claimant.held.some(({ ip }) => ip === place.ip)) return undefined;
  const obstacle = occupancy.findObstacle(claimant, place);
  if (obstacle === undefined || obstacle.kind === 'pending') return obstacle;
  return `returned ${place.ip}: ${obstacle.message}`;
}

function findUnfit(
  { families, request }: LoadBalancer,
  { source }: Pool,
  { ip, use, family }: Place,
): string | undefined {
  if (families.length > 0 && !families.includes(family)) return 'is not of a family of the Service';
  if (request.addresses.length > 0 && !request.addresses.includes(ip)) return 'was not asked for';
  if (use !== undefined) return `belongs to pool "${use.pool.name}"`;
  const isOutside = isInside(source, ip) === false;
  return isOutside ? 'lies in none of the prefixes and ranges of the group' : undefined;
}

/** Whether the group says so; undefined where it does not say which addresses it has. */
export function isInside(source: Pool['source'], ip: Ip): boolean | undefined {
  if (source.kind !== 'netbox') return undefined;
  const { prefixes, ranges } = source;
  if (prefixes.length + ranges.length === 0) return undefined;
  return (
    prefixes.some((prefix) => prefixContains(prefix, ip)) ||
    ranges.some((range) => rangeContains(range, ip))
  );
}

/** What the group says, else what the source recorded. */
function lengthOf({ source }: Pool, { length }: Prefix): number {
  return (source.kind === 'netbox' ? source.prefixLength : undefined) ?? length;
}

export function sourceName({ source }: Pool): string {
  switch (source.kind) {
    case 'cluster':
      return 'Cluster';
    case 'netbox':
      return 'Netbox';
    case 'external':
      return source.provider;
    default:
      return source satisfies never;
  }
}

/** Whether the addresses asked for can only be those of the pool that the Service names. */
export function isForSource(wishes: readonly Ip[], pool: Pool, { occupancy }: Round): boolean {
  if (pool.source.kind === 'cluster') return false;
  return wishes.every((ip) => occupancy.places.find(ip).use === undefined);
}
