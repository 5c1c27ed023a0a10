/** A Service → a claimant with what it holds, and who has more right to what is held. */

import { compareTexts } from '../../model/compare-texts.ts';
import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { AllocationSettings } from './allocation-state.ts';
import type { Claimant } from './claimant.ts';
import { type Fate, fateOf, type ReleaseCause } from './fate.ts';
import type { Place, Places } from './place.ts';

export function findClaimant(
  service: LoadBalancer,
  settings: AllocationSettings,
  places: Places,
): Claimant {
  const { ingress } = service.grant;
  const ips = ingress.length > 1 ? [...new Set(ingress)] : ingress;
  const held = ips.map((ip) => places.findHeld(ip, service));
  const isInPool = (ip: Ip) => held.find((place) => place.ip === ip)?.use !== undefined;
  const fate = fateOf(service, settings, isInPool);
  const lost = fate.kind === 'release' ? findLost(service, fate.cause) : [];
  const all = [...held, ...lost.map((ip) => places.findHeld(ip, service))];
  return { service, fate, held: all, rank: rankOf(service, fate, all) };
}

/**
 * The API server empties `status.loadBalancer` when the type changes; our condition still says what was there. What
 * annotations say is not believed: a Service would give up addresses that it never had.
 */
function findLost({ grant }: LoadBalancer, cause: ReleaseCause): readonly Ip[] {
  if (cause === 'class') return [];
  return (grant.record?.ips ?? []).filter((ip) => !grant.ingress.includes(ip));
}

/**
 * What others hold cannot be changed by us, so they come first; then who holds something with our brand, who holds
 * something without it, who holds nothing; and among equals the oldest.
 */
export function compareRight(left: Claimant, right: Claimant): number {
  return left.rank - right.rank || compareAge(left, right);
}

function rankOf(service: LoadBalancer, fate: Fate, held: readonly Place[]): number {
  if (held.length === 0) return 3;
  if (fate.kind === 'ignore') return 0;
  return service.grant.isOurs ? 1 : 2;
}

function compareAge({ service: left }: Claimant, { service: right }: Claimant): number {
  return left.identity.createdAt - right.identity.createdAt || compareTexts(left.key, right.key);
}
