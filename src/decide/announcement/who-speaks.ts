/**
 * Which node writes on a Service what is everybody's business: the holder of its first address that has one, else one
 * that all agents choose alike. Should two believe to be it for a moment, they write the same.
 */

import { familyOf } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { endpointsKey } from '../../model/service-endpoints.ts';
import { type Elector, type Electorate, isWithin, pointOf } from './electorate.ts';
import type { NodeSnapshot } from './node-snapshot.ts';
import { rankNodes } from './rank-nodes.ts';

export type SpeakerFacts = Pick<NodeSnapshot, 'electorate' | 'endpoints'>;

/** Nodes with an agent that can write; those that take no part in load balancing have one as well. */
export function findRunning({ electors }: Electorate): ReadonlySet<string> {
  return new Set(electors.filter(isRunning).map(({ node }) => node));
}

export function whoSpeaks(service: LoadBalancer, facts: SpeakerFacts): string | undefined {
  const running = facts.electorate.electors.filter(isRunning);
  const names = new Set(running.map(({ node }) => node));
  const { ingress, slots } = service.grant;
  for (const ip of ingress) {
    const holder = slots.find((slot) => slot.ip === ip)?.node;
    if (holder !== undefined && names.has(holder)) return holder;
  }
  const able = running.filter(({ bar }) => bar === undefined);
  const choices = [findNear(service, able), findServing(service, able, facts), able, running];
  const pool = choices.find((choice) => choice.length > 0) ?? [];
  const [best] = rankNodes(
    service.key,
    pool.map(({ node }) => node),
  );
  return best;
}

function isRunning({ bar, hasAgent }: Elector): boolean {
  return hasAgent && bar !== 'nodeGone';
}

/** In the subnet of its first address. */
function findNear({ grant }: LoadBalancer, electors: readonly Elector[]): readonly Elector[] {
  const [first] = grant.ingress;
  if (first === undefined) return [];
  const point = pointOf(first);
  return electors.filter(({ subnets }) => isWithin(subnets, point));
}

/** Nodes that a remote address is on: they can vouch for it. */
function findServing(
  { externalTrafficPolicy, key, grant }: LoadBalancer,
  electors: readonly Elector[],
  { endpoints }: SpeakerFacts,
): readonly Elector[] {
  const [first] = grant.ingress;
  if (externalTrafficPolicy === 'Cluster' || first === undefined) return electors;
  const serving = endpoints?.current.get(endpointsKey(key, familyOf(first)));
  return electors.filter(({ node }) => serving?.has(node));
}
