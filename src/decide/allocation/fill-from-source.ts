/** Addresses from another source than our own ranges: asked for once, and believed only after a look at what came. */

import { type Family, familyNames, familyOf, type Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import type { Prefix } from '../../model/prefix.ts';
import type { SourceAnswer } from './allocation-state.ts';
import type { Claimant } from './claimant.ts';
import { settleFor } from './fill-families.ts';
import { isObstacle, type Obstacle, postpone, refuse } from './obstacle.ts';
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
  const answer = round.state.answers.get(service.key);
  if (answer?.pool !== pool.name) return ask(service, pool, families);
  const found = readAnswer(claimant, pool, answer, round);
  if (isObstacle(found)) return found;
  const additions = found.filter(({ family }) => families.includes(family));
  const bare = families.filter((family) => !additions.some((place) => place.family === family));
  const missing = bare.map((family) =>
    refuse('exhausted', `${sourceName(pool)} gave no ${familyNames[family]} address`, {
      pool: pool.name,
    }),
  );
  return settleFor(service, { additions, missing }, kept);
}

function missingFamilies({ families }: LoadBalancer, kept: readonly Place[]): readonly Family[] {
  const wanted: readonly Family[] = families.length > 0 ? families : ['ipv4'];
  return wanted.filter((family) => !kept.some((place) => place.family === family));
}

function ask({ request }: LoadBalancer, pool: Pool, families: readonly Family[]): Obstacle {
  return postpone(`${sourceName(pool)} is asked for an address`, pool.name, {
    kind: 'source',
    request: {
      pool: pool.name,
      families,
      addresses: request.addresses,
      sharingKey: request.sharingKey,
    },
  });
}

/** More than any Service has: an answer with more is a mistake. */
const mostAddresses = 16;

function readAnswer(
  claimant: Claimant,
  pool: Pool,
  answer: SourceAnswer,
  round: Round,
): readonly Place[] | Obstacle {
  const say = (message: string) =>
    refuse('other', `${sourceName(pool)} ${message}`, { pool: pool.name });
  if (answer.kind === 'refusal') return say(answer.message);
  const { addresses } = answer;
  if (addresses.length === 0) return say('returned no IPs and no error');
  if (addresses.length > mostAddresses) {
    return say(`returned ${addresses.length} IPs (max ${mostAddresses})`);
  }
  const places: Place[] = [];
  for (const prefix of addresses) {
    const place = {
      ...round.occupancy.places.find(prefix.ip),
      prefixLength: lengthOf(pool, prefix),
    };
    const obstacle = findAnswerObstacle(claimant, place, round);
    if (obstacle !== undefined) return say(obstacle);
    if (!places.some(({ ip }) => ip === place.ip)) places.push({ ...place, pool });
  }
  return places;
}

function findAnswerObstacle(
  claimant: Claimant,
  { ip, use, ...place }: Place,
  { occupancy }: Round,
): string | undefined {
  const { families, request } = claimant.service;
  if (families.length > 0 && !families.includes(familyOf(ip))) {
    return `returned ${ip}, which is not of a family of the Service`;
  }
  if (request.addresses.length > 0 && !request.addresses.includes(ip)) {
    return `returned ${ip}, which was not asked for`;
  }
  if (use !== undefined) return `returned ${ip}, which belongs to pool "${use.pool.name}"`;
  if (claimant.held.some((held) => held.ip === ip)) return undefined;
  const obstacle = occupancy.findObstacle(claimant, { ip, use, ...place });
  return obstacle === undefined ? undefined : `returned ${ip}: ${obstacle.message}`;
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
