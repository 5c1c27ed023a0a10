/** From what is wanted and what the kernel holds to the changes between the two. */

import {
  type AddressChange,
  addressKey,
  type HeldAddress,
  type WantedAddress,
} from '../../model/address.ts';
import { familyOf, type Ip } from '../../model/ip.ts';
import type { ChangeReason } from '../../model/placement-reasons.ts';
import {
  type AddressMatch,
  hasLifetimeDrifted,
  isPastHalfLife,
  refreshDueIn,
} from './address-lifetime.ts';
import { findDisplaced } from './displaced-primaries.ts';

export interface AddressState {
  readonly wanted: readonly WantedAddress[];
  /** Everything in the kernel, foreign addresses too, as just read. */
  readonly held: readonly HeldAddress[];
  /** Addresses of which it is not known whether they are wanted: they stay as they are. */
  readonly left: ReadonlySet<Ip>;
  /** In ms on the monotonic clock. */
  readonly now: number;
}

export interface AddressPlan {
  /** To be carried out in this order. */
  readonly changes: readonly PlannedChange[];
  /** Ours that duplicate address detection refused: adding them again would find the same host again. */
  readonly duplicates: readonly HeldAddress[];
  /** Wanted where the same address is present without our mark. */
  readonly blocked: readonly WantedAddress[];
  /** When the next refresh is due; `Infinity` if none is. */
  readonly wakeAt: number;
}

export interface PlannedChange {
  readonly change: AddressChange;
  readonly reason: ChangeReason;
}

/** Additions come first: a link that briefly holds none of its addresses loses their routes. */
export function planAddresses({ wanted, held, left, now }: AddressState): AddressPlan {
  const matches = matchAll(wanted, held);
  const displaced = findDisplaced(matches.kept, held);
  const isReseated = new Set(displaced.map(({ wanted: address }) => address));
  const rest = matches.kept.filter((match) => !isReseated.has(match.wanted));
  return {
    changes: [
      ...matches.missing.map((address) => planned('add', address, 'missing')),
      ...planRefreshes(rest),
      ...displaced.map(({ held: address }) => plannedRemoval(address, 'primary')),
      ...displaced.map(({ wanted: address }) => planned('add', address, 'primary')),
      ...planRemovals(wanted, held, left),
    ],
    duplicates: matches.duplicates,
    blocked: matches.blocked,
    wakeAt: now + 1000 * nextRefreshSeconds(matches),
  };
}

interface Matches {
  readonly missing: WantedAddress[];
  readonly kept: AddressMatch[];
  readonly duplicates: HeldAddress[];
  readonly blocked: WantedAddress[];
}

function matchAll(wanted: readonly WantedAddress[], held: readonly HeldAddress[]): Matches {
  const present = Map.groupBy(held, placeOf);
  const matches: Matches = { missing: [], kept: [], duplicates: [], blocked: [] };
  for (const address of wanted) {
    const here = present.get(placeOf(address)) ?? [];
    const own = here.find((one) => one.isOurs && isSame(one, address));
    // What is ours is looked after, also beside one of another prefix length that someone added later.
    if (own?.hasFailedDad === true) matches.duplicates.push(own);
    else if (own !== undefined) matches.kept.push({ wanted: address, held: own });
    else if (here.some(({ isOurs }) => !isOurs)) matches.blocked.push(address);
    else matches.missing.push(address);
  }
  return matches;
}

/** All addresses are refreshed together when the first is due: one wake-up for all, whenever they were added. */
function planRefreshes(kept: readonly AddressMatch[]): readonly PlannedChange[] {
  const isDue = kept.some(isPastHalfLife);
  return kept.flatMap((match) => {
    const drift = findDrift(match);
    if (drift !== undefined) return [planned('refresh', match.wanted, drift)];
    const ages = match.wanted.validSeconds !== Infinity;
    return isDue && ages ? [planned('refresh', match.wanted, 'halfLife')] : [];
  });
}

/** Whether nothing would have to be done about it now. */
export function isAsWanted(match: AddressMatch): boolean {
  return findDrift(match) === undefined && !isPastHalfLife(match);
}

function findDrift(match: AddressMatch): ChangeReason | undefined {
  const { wanted, held } = match;
  if (wanted.prefixLength !== held.prefixLength) return 'prefixLength';
  if (wanted.noPrefixRoute !== held.noPrefixRoute) return 'prefixRoute';
  return hasLifetimeDrifted(match) ? 'lifetime' : undefined;
}

function planRemovals(
  wanted: readonly WantedAddress[],
  held: readonly HeldAddress[],
  left: ReadonlySet<Ip>,
): readonly PlannedChange[] {
  const places = Map.groupBy(wanted, placeOf);
  return held
    .filter(({ isOurs, ip }) => isOurs && !left.has(ip))
    .filter((address) => !places.get(placeOf(address))?.some((one) => isSame(one, address)))
    .map((address) => plannedRemoval(address, 'notWanted'));
}

/** The kernel's sense of "the same address on a link": IPv6 has it once, whatever the prefix length. */
function isSame(left: WantedAddress | HeldAddress, right: WantedAddress | HeldAddress): boolean {
  return familyOf(left.ip) === 'ipv6' || left.prefixLength === right.prefixLength;
}

function nextRefreshSeconds({ kept, missing }: Matches): number {
  return Math.min(
    ...kept.map((match) => refreshDueIn(match)),
    ...missing.map(({ validSeconds }) => validSeconds / 2),
  );
}

function placeOf({ link, ip }: WantedAddress | HeldAddress): string {
  return addressKey({ link, ip, prefixLength: 0 });
}

function planned(
  kind: 'add' | 'refresh',
  address: WantedAddress,
  reason: ChangeReason,
): PlannedChange {
  return { change: { kind, address }, reason };
}

function plannedRemoval(
  { link, ip, prefixLength }: HeldAddress,
  reason: ChangeReason,
): PlannedChange {
  return { change: { kind: 'remove', address: { link, ip, prefixLength } }, reason };
}
