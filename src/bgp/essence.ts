/** The part of what the agent knows that BGP goes by, as text to compare. */

import type { BgpSurroundings } from './bgp-setup.ts';

export function essenceOf({ me, members, services, ...rest }: BgpSurroundings): string {
  const subnets = members.flatMap((member) => member.subnets);
  const labels = [...(me?.labels ?? [])];
  return JSON.stringify([
    me?.uid,
    labels,
    me?.internalIps,
    subnets,
    wishesOf(services),
    rest.isSpokesman,
    rest.virtualLink,
    rest.unmarkedServed,
  ]);
}

/** Mostly nobody asks for anything; if somebody does, those that ask for nothing count as well. */
function wishesOf(services: BgpSurroundings['services']): unknown {
  if (services.every(({ routeWish }) => routeWish === undefined)) return [];
  return services.map(({ key, identity, grant, routeWish }) => {
    const { uid, createdAt, isDeleting } = identity;
    return [key, uid, createdAt, isDeleting, grant.isOurs, grant.ingress, routeWish];
  });
}
