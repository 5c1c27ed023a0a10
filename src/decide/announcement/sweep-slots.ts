/**
 * Slots of nodes whose agent is gone, where nobody is left to take the address over: one node takes them out. While the
 * kernel of such a node may still hold the address, its slot is true, and stays.
 */

import type { LocalConfig } from '../../model/agent-config.ts';
import type { Slot } from '../../model/announcing.ts';
import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { type Electorate, isWithin, pointOf } from './electorate.ts';
import { findRunning, type SpeakerFacts, whoSpeaks } from './who-speaks.ts';

export interface SweepFacts extends SpeakerFacts {
  readonly node: string;
  readonly loadBalancers: readonly LoadBalancer[];
  readonly config: LocalConfig | undefined;
  /** In ms on the monotonic clock. */
  readonly now: number;
}

/** Since when each node that a slot names has been without an agent. */
export type AbsentSince = ReadonlyMap<string, number>;

export interface SlotSweep {
  /** To be taken out by this node, as `slotKey` has them. */
  readonly swept: ReadonlySet<string>;
  /** Keys of Services whose annotations this node clears of slots of addresses that they do not have. */
  readonly littered: ReadonlySet<string>;
  /** To be given back next time. */
  readonly absentSince: AbsentSince;
  readonly wakeAt: number;
}

const usualLifeMs = 300_000;

export function slotKey({ key }: LoadBalancer, { ip, node }: Slot): string {
  return `${key} ${ip} ${node}`;
}

export function sweepSlots(facts: SweepFacts, previous: AbsentSince): SlotSweep {
  const { loadBalancers, electorate, now } = facts;
  const running = findRunning(electorate);
  const orphaned = loadBalancers.filter(({ grant }) =>
    grant.slots.some(({ node }) => !running.has(node)),
  );
  const absent = orphaned.flatMap(({ grant }) => grant.slots).filter(isAbsent);
  const absentSince = new Map(absent.map(({ node }) => [node, previous.get(node) ?? now]));
  const lifeMs = findLifeMs(facts);
  const isOver = ({ node }: Slot) => {
    const since = absentSince.get(node) ?? now;
    return electorate.nodeNames?.has(node) === false || now - since >= lifeMs;
  };
  const swept = orphaned.flatMap((service) => {
    const { ingress, slots } = service.grant;
    const found = slots.filter(isAbsent).filter((slot) => {
      return !ingress.includes(slot.ip) || (isOver(slot) && !hasSuccessor(slot.ip, electorate));
    });
    const isMine = found.length > 0 && whoSpeaks(service, facts) === facts.node;
    return isMine ? found.map((slot) => slotKey(service, slot)) : [];
  });
  const ends = [...absentSince.values()].map((since) => since + lifeMs);
  const littered = loadBalancers.filter(
    (service) => service.grant.strayFamilies.length > 0 && whoSpeaks(service, facts) === facts.node,
  );
  return {
    swept: new Set(swept),
    littered: new Set(littered.map(({ key }) => key)),
    absentSince,
    wakeAt: Math.min(...ends.filter((end) => end > now)),
  };

  function isAbsent({ node }: Slot): boolean {
    return !running.has(node);
  }
}

/** How long a kernel keeps an address that nobody refreshes; other nodes are taken to be configured like this one. */
function findLifeMs({ config }: SweepFacts): number {
  return Math.max(usualLifeMs, 1000 * (config?.localLifetime.validSeconds ?? 0));
}

/** Who will write a slot of its own. */
function hasSuccessor(ip: Ip, { electors }: Electorate): boolean {
  const point = pointOf(ip);
  return electors.some(
    ({ bar, subnets, failing }) =>
      bar === undefined && !failing.has(ip) && isWithin(subnets, point),
  );
}
