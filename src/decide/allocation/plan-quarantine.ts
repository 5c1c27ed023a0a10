/** What is in a pool's quarantine after a plan: what was there and still counts, and what is given up or in conflict. */

import { compareIps } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { ClusterSource, Pool, QuarantinedAddress } from '../../model/pool.ts';
import { forgetAt } from './conflict-limits.ts';
import type { Place } from './place.ts';

/** An address that a Service gives up. */
export interface Departure {
  readonly service: LoadBalancer;
  readonly place: Place;
  /** The Service gives up all it has, and may come back under the same name. */
  readonly isReleased: boolean;
}

export interface QuarantineInput {
  readonly pool: Pool;
  readonly present: readonly QuarantinedAddress[];
  /** Conflicts that were reported since. */
  readonly reported: readonly QuarantinedAddress[];
  /** Of this pool, and no longer used by anyone. */
  readonly departures: readonly Departure[];
  /** Whether some Service holds the address after the plan. */
  readonly isHeld: (ip: QuarantinedAddress['ip']) => boolean;
  readonly lostHolders: ReadonlyMap<string, number>;
  readonly now: number;
}

/**
 * So many fit into one object of the API server, about 1.5 MB, whatever the names are: it stores each twice, once in
 * the list of who wrote what. What matters least is left out.
 */
const mostEntries = 1500;
const importance = { Conflict: 0, HolderLost: 1, Reserved: 2, Cooldown: 3 } as const;

export function planQuarantine(input: QuarantineInput): readonly QuarantinedAddress[] {
  const { pool, present, reported, departures, isHeld, now } = input;
  const departed = departures.flatMap((departure) => entryFor(departure, input) ?? []);
  // Whoever was given a reserved or cooling address back has ended that.
  const isOver = ({ ip, reason }: QuarantinedAddress) => importance[reason] >= 2 && isHeld(ip);
  const all = [...present, ...reported, ...departed].filter(
    (entry) => forgetAt(entry, pool) > now && !isOver(entry),
  );
  const kept = all.sort(compareImportance).filter(isFirstOfAddress());
  return kept.slice(0, mostEntries).sort((left, right) => compareIps(left.ip, right.ip));
}

function entryFor(
  { service, place, isReleased }: Departure,
  { pool, lostHolders, now }: QuarantineInput,
): QuarantinedAddress | undefined {
  const { ip } = place;
  const slot = service.grant.slots.find((each) => each.ip === ip);
  const lostUntil = lostHolders.get(slot?.node ?? '') ?? 0;
  const plain = { ip, mac: undefined, node: undefined, service: undefined };
  if (lostUntil > now) {
    return { ...plain, reason: 'HolderLost', until: wholeSecond(lostUntil), node: slot?.node };
  }
  if (pool.source.kind !== 'cluster') return undefined;
  const { reserveMs, releaseCooldownMs }: ClusterSource = pool.source;
  if (isReleased && reserveMs > 0) {
    const until = wholeSecond(now + Math.max(reserveMs, releaseCooldownMs));
    return { ...plain, reason: 'Reserved', until, service: service.key };
  }
  if (releaseCooldownMs === 0) return undefined;
  return { ...plain, reason: 'Cooldown', until: wholeSecond(now + releaseCooldownMs) };
}

/** As it is written down; rounded up, because too late is harmless. */
function wholeSecond(epochMs: number): number {
  return Math.ceil(epochMs / 1000) * 1000;
}

/** The graver reason, then the later end. */
function compareImportance(left: QuarantinedAddress, right: QuarantinedAddress): number {
  return importance[left.reason] - importance[right.reason] || right.until - left.until;
}

function isFirstOfAddress(): (entry: QuarantinedAddress) => boolean {
  const seen = new Set<string>();
  return ({ ip }) => !seen.has(ip) && seen.add(ip).has(ip);
}
