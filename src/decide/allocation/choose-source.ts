/** Which source is asked for addresses that a Service names without naming a group. */

import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import { choosePool, comparePreference, findPool, type PoolChoice } from './choose-pool.ts';
import { isForSource, isInside } from './fill-from-source.ts';
import { isNoObstacle, isObstacle, type Obstacle } from './obstacle.ts';
import type { Round } from './round.ts';

/**
 * The group whose prefixes and ranges contain all of them; else the group that the Service would get an address from
 * anyway, if only its source can know. Without a choice they are those of our own ranges, or nobody's.
 */
export function chooseSource(
  service: LoadBalancer,
  round: Round,
): { readonly choice: PoolChoice | undefined } | Obstacle {
  const { addresses } = service.request;
  const { pools } = round.state;
  const contains = ({ source }: Pool) => addresses.every((ip) => isInside(source, ip) === true);
  const candidates = pools.pools.filter(
    (pool) => isForSource(addresses, pool, round) && contains(pool),
  );
  const found = candidates.map(({ name }) => findPool(service, name, round.state));
  const [pool] = found.filter(isNoObstacle).sort(comparePreference);
  if (pool !== undefined) return { choice: { pool, via: 'addresses', warning: undefined } };
  const [obstacle] = found.filter(isObstacle);
  return obstacle ?? { choice: chooseUsual(service, round) };
}

function chooseUsual(service: LoadBalancer, round: Round): PoolChoice | undefined {
  const { addresses } = service.request;
  const usual = choosePool(service, round.state);
  if (isObstacle(usual) || !isForSource(addresses, usual.pool, round)) return undefined;
  const { source } = usual.pool;
  return addresses.some((ip) => isInside(source, ip) === false) ? undefined : usual;
}
