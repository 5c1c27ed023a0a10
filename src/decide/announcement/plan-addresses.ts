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
  ageTo,
  halfLifeIn,
  hasLifetimeDrifted,
  isOverlong,
  isPastHalfLife,
  isRefreshDue,
  refreshDueIn,
} from './address-lifetime.ts';
import { findDisplaced } from './displaced-primaries.ts';
import { type LifetimePromise, mayBegin, mayLast, unpromisedSeconds } from './lifetime-promise.ts';

export interface AddressState {
  readonly wanted: readonly WantedAddress[];
  /** Everything in the kernel, foreign addresses too, as just read. */
  readonly held: readonly HeldAddress[];
  /** Addresses of which it is not known whether they are wanted: they stay as they are. */
  readonly left: ReadonlySet<Ip>;
  /** What the Lease says of lifetimes, except on the virtual link; absent: nothing depends on it. */
  readonly promise?: LifetimePromise | undefined;
  readonly virtualLink?: string;
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
  /** Lifetimes in seconds that the Lease is to promise: then the agent extends these addresses. */
  readonly offers: ReadonlyMap<Ip, number>;
  /** When the next refresh is due; `Infinity` if none is. */
  readonly wakeAt: number;
}

export interface PlannedChange {
  readonly change: AddressChange;
  readonly reason: ChangeReason;
}

/** Additions come first: a link that briefly holds none of its addresses loses their routes. */
export function planAddresses(state: AddressState): AddressPlan {
  const { wanted, held, left, now } = state;
  const matches = matchAll(state);
  const displaced = findDisplaced(matches.kept, held);
  const isReseated = new Set(displaced.map(({ wanted: address }) => address));
  const rest = matches.kept.filter((match) => !isReseated.has(match.wanted));
  return {
    changes: [
      ...matches.missing.map((address) => planned('add', address, 'missing')),
      ...planRefreshes(rest, state.promise),
      ...displaced.map(({ held: address }) => plannedRemoval(address, 'primary')),
      ...displaced.map((match) => planned('add', reachable(match), 'primary')),
      ...planRemovals(wanted, held, left),
    ],
    duplicates: matches.duplicates,
    blocked: matches.blocked,
    offers: findOffers(matches.kept),
    wakeAt: now + 1000 * nextRefreshSeconds(matches),
  };
}

interface Matches {
  readonly missing: WantedAddress[];
  readonly kept: AddressMatch[];
  readonly duplicates: HeldAddress[];
  readonly blocked: WantedAddress[];
}

function matchAll(state: AddressState): Matches {
  const { wanted, held, now } = state;
  const present = Map.groupBy(held, placeOf);
  const matches: Matches = { missing: [], kept: [], duplicates: [], blocked: [] };
  for (const address of wanted) {
    const { ip } = address;
    const promise = promiseOf(address, state);
    const here = present.get(placeOf(address)) ?? [];
    const own = here.find((one) => one.isOurs && isSame(one, address));
    // What is ours is looked after, also beside one of another prefix length that someone added later.
    if (own?.hasFailedDad === true) matches.duplicates.push(own);
    else if (own !== undefined) {
      matches.kept.push({ wanted: address, held: own, mostSeconds: mayLast(ip, promise, now) });
    } else if (here.some(({ isOurs }) => !isOurs)) matches.blocked.push(address);
    else matches.missing.push(ageTo(address, mayBegin(ip, promise, now)));
  }
  return matches;
}

/** On the virtual link every node has every address: nobody waits for another node there. */
function promiseOf(
  { link }: WantedAddress,
  { promise, virtualLink }: AddressState,
): LifetimePromise | undefined {
  return link === virtualLink ? undefined : promise;
}

/** As the kernel may be told. */
function reachable({ wanted, mostSeconds = Infinity }: AddressMatch): WantedAddress {
  return ageTo(wanted, mostSeconds);
}

/** All addresses are refreshed together when the first is due: one wake-up for all, whenever they were added. */
function planRefreshes(
  kept: readonly AddressMatch[],
  promise: LifetimePromise | undefined,
): readonly PlannedChange[] {
  const isDue = kept.some(isRefreshDue);
  const isFailing = promise?.isFailing === true;
  return kept.flatMap((match) => {
    const address = reachable(match);
    const drift = findDrift(match) ?? (isFailing && isOverlong(match) ? 'lifetime' : undefined);
    if (drift !== undefined) return [planned('refresh', address, drift)];
    const isLonger = match.held.validSeconds < address.validSeconds;
    return isDue && isLonger ? [planned('refresh', address, 'halfLife')] : [];
  });
}

/** Of all addresses if one is past its half life and remains so: the Lease has not promised more yet. */
function findOffers(kept: readonly AddressMatch[]): ReadonlyMap<Ip, number> {
  const isShort = (match: AddressMatch) => {
    const { wanted, mostSeconds = Infinity } = match;
    const isPromised = mostSeconds > Math.max(wanted.validSeconds / 2, unpromisedSeconds);
    return isPastHalfLife(match) && !isPromised;
  };
  if (!kept.some(isShort)) return new Map();
  const aging = kept.filter(({ wanted }) => wanted.validSeconds !== Infinity);
  return new Map(aging.map(({ wanted }) => [wanted.ip, wanted.validSeconds]));
}

/** Whether nothing would have to be done about it now. */
export function isAsWanted(match: AddressMatch): boolean {
  return findDrift(match) === undefined && !isRefreshDue(match);
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
    ...kept.map((match) => (isPastHalfLife(match) ? refreshDueIn(match) : halfLifeIn(match))),
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
