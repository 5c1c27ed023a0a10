/** Addresses asked for by name: all of them or none. */

import { familyNames, familyOf, type Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { QuarantinedAddress } from '../../model/pool.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import { findPool } from './choose-pool.ts';
import type { Claimant } from './claimant.ts';
import { isObstacle, type Obstacle, refuse } from './obstacle.ts';
import type { Place } from './place.ts';
import type { Filling, Round } from './round.ts';

export function fillWishes(
  claimant: Claimant,
  wishes: readonly Ip[],
  kept: readonly Place[],
  round: Round,
): Filling | Obstacle {
  const unfit = findFamilyObstacle(claimant.service);
  if (unfit !== undefined) return unfit;
  const held = new Set(kept.map(({ ip }) => ip));
  const additions: Place[] = [];
  for (const ip of wishes.filter((wish) => !held.has(wish))) {
    const place = round.occupancy.places.find(ip);
    const obstacle = findWishObstacle(claimant, place, round);
    if (obstacle !== undefined) return obstacle;
    additions.push(place);
  }
  return { additions, missing: findLeftOut(claimant.service) };
}

function findFamilyObstacle(service: LoadBalancer): Obstacle | undefined {
  const { families, familyPolicy, request } = service;
  const stranger = request.addresses.find((ip) => !families.includes(familyOf(ip)));
  if (stranger !== undefined && families.length > 0) {
    const own = familyNames[familyOf(stranger)];
    const names = families.map((family) => familyNames[family]).join(' and ');
    return refuse('other', `requested address ${stranger} is ${own}, but the Service is ${names}`);
  }
  const [leftOut] = findLeftOut(service);
  return familyPolicy === 'PreferDualStack' ? undefined : leftOut;
}

/** Families of the Service that no wish is of. */
function findLeftOut({ families, request: { addresses } }: LoadBalancer): readonly Obstacle[] {
  return families
    .filter((family) => !addresses.some((ip) => familyOf(ip) === family))
    .map((family) => {
      const name = familyNames[family];
      return refuse('other', `no ${name} address is asked for beside ${addresses.join(', ')}`);
    });
}

function findWishObstacle(claimant: Claimant, place: Place, round: Round): Obstacle | undefined {
  const { ip, use } = place;
  if (use === undefined) return refuse('unknown_pool', `"${ip}" does not belong to any group`);
  const { state, occupancy } = round;
  const pool = findPool(claimant.service, use.pool.name, state);
  if (isObstacle(pool)) return { ...pool, message: `${ip}: ${pool.message}` };
  const context = { pool: pool.name, waitsFor: [{ kind: 'group', name: pool.name }] } as const;
  if (use.isWithheld(place.value)) {
    return refuse('other', `${ip} is excluded from pool "${pool.name}"`, context);
  }
  const bound = occupancy.boundTo(claimant, pool, place.family);
  if (bound !== undefined && bound !== ip) {
    const key = claimant.service.request.sharingKey ?? '';
    const message = `sharing key "${key}" is bound to ${bound}, cannot use ${ip}`;
    const waitsFor = [{ kind: 'sharing key', pool: pool.name, key }] as const;
    return refuse('sharing_key_conflict', message, { pool: pool.name, waitsFor });
  }
  return (
    findQuarantineObstacle(claimant.service, place, occupancy.quarantineOf(ip)) ??
    occupancy.findObstacle(claimant, place)
  );
}

/** Whoever asks for an address gets it in spite of a conflict or a cool-down, but not over another's claim on it. */
function findQuarantineObstacle(
  { key }: LoadBalancer,
  { ip, pool }: Place,
  entry: QuarantinedAddress | undefined,
): Obstacle | undefined {
  if (entry === undefined) return undefined;
  const until = formatTimestamp(entry.until);
  const context = { pool: pool?.name, waitsFor: [{ kind: 'time', at: entry.until }] } as const;
  if (entry.reason === 'HolderLost') {
    const message = `node ${entry.node ?? '?'}, which is lost, may answer for ${ip} until ${until}`;
    return refuse('other', message, context);
  }
  if (entry.reason !== 'Reserved' || entry.service === key) return undefined;
  const message = `${ip} is reserved for ${entry.service ?? '?'} until ${until}`;
  return refuse('other', message, context);
}
