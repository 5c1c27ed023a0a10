/**
 * Which of the addresses that are given out next this node asks the wire for, before any Service has them: those that
 * it would own. Silence is remembered and saves the wait at first use; a host that answers is reported, and the
 * allocator gives out another address. All nodes come to the same owner, so that one of them asks.
 */

import type { Ip } from '../../model/ip.ts';
import type { Mac } from '../../model/mac.ts';
import type { Place } from '../allocation/place.ts';
import { renewLookMs } from './advance-look.ts';
import { askWire, findControls, skipsDad, type WireCase } from './ask-wire.ts';
import { findRest } from './conflict-rest.ts';
import { type Election, elect } from './elect.ts';
import { findLink } from './find-link.ts';
import type { Ask, Clearance } from './look-before-add.ts';
import type { NodeSnapshot } from './node-snapshot.ts';

export interface LookAheadPlan {
  /** To be sent now. */
  readonly asks: readonly Ask[];
  readonly conflicts: readonly { readonly ip: Ip; readonly mac: Mac }[];
  /** Routers that were found to answer for everything. */
  readonly proxies: readonly Mac[];
  /** When there is more to do, in ms on the monotonic clock. */
  readonly wakeAt: number;
}

/** Questions that one node asks at a time, and how soon it asks more. */
const mostAsks = 64;
const nextAsksMs = 100;

/** What came to nothing, or was overtaken, is not asked again before. */
const againMs = 5_000;

export function planLookAhead(snapshot: NodeSnapshot, upcoming: readonly Place[]): LookAheadPlan {
  const steps = mayLook(snapshot) ? upcoming.flatMap((place) => lookAt(place, snapshot)) : [];
  const asks = steps.flatMap((step) => step.asks ?? []);
  const now = asks.slice(0, mostAsks);
  const { now: time } = snapshot;
  return {
    asks: now,
    conflicts: steps.flatMap(({ conflict }) => conflict ?? []),
    proxies: [...new Set(steps.flatMap(({ proxies = [] }) => proxies))],
    wakeAt: Math.min(
      time + renewLookMs,
      // A step whose time has come and that has nothing to ask would only be taken again at once.
      ...steps.map(({ wakeAt = Infinity }) => (wakeAt > time ? wakeAt : time + againMs)),
      asks.length > now.length ? time + nextAsksMs : Infinity,
    ),
  };
}

/** A node that does not hear from the cluster, or that ends, will not be the one to own them. */
function mayLook({ config, survey, self }: NodeSnapshot): boolean {
  return config !== undefined && survey.kind === 'known' && !self.isStale;
}

interface Step {
  readonly asks?: readonly Ask[];
  readonly conflict?: { readonly ip: Ip; readonly mac: Mac };
  readonly proxies?: readonly Mac[];
  readonly wakeAt?: number;
}

function lookAt(place: Place, snapshot: NodeSnapshot): readonly Step[] {
  const address = caseOf(place);
  const found = findLink(snapshot.survey, place.ip);
  if (address === undefined || found.kind !== 'link' || !found.link.hasCarrier) return [];
  const renewAt = findRenewal(place, snapshot, found.link.name);
  if (renewAt !== undefined) return [{ wakeAt: renewAt }];
  const rest = findRest(place, snapshot);
  if (rest !== undefined) return [{ wakeAt: rest.wakeAt }];
  const link = found.link.name;
  const election = electFor(place, snapshot, link);
  if (election.winner !== snapshot.node) return [];
  const question = { link, election, aheadMs: renewLookMs };
  return [follow(askWire(address, snapshot, question), address, snapshot)];
}

/** Of an address that was looked at, and that nobody has answered for since. */
function findRenewal({ ip }: Place, { wire, now }: NodeSnapshot, link: string): number | undefined {
  const look = wire.looks.get(ip);
  if (look?.isAhead !== true || look.link !== link) return undefined;
  const renewAt = (look.sentAt.at(-1) ?? -Infinity) + renewLookMs;
  const isSilent = look.answers.length === 0 && !look.isDeaf && now < renewAt;
  return isSilent ? renewAt : undefined;
}

/** Undefined: the wire is not asked for addresses of this pool. */
function caseOf({ ip, pool, use, prefixLength = 0 }: Place): WireCase | undefined {
  if (pool === undefined || use === undefined || pool.conflictCheck.mode === 'Off')
    return undefined;
  const mode = pool.announce;
  const terms = { mode, pool, range: use.at, prefixLength, isGiven: true, isPrefixKnown: true };
  const address = { ip, slot: undefined, terms };
  return skipsDad(address) ? undefined : address;
}

/** As for a Service that prefers no node. */
function electFor({ ip, pool }: Place, snapshot: NodeSnapshot, link: string): Election {
  const { electorate, wire, node } = snapshot;
  const silent = new Set(wire.silent.get(link));
  silent.delete(node);
  return elect(electorate, { ip, placement: pool?.placement ?? 'Sticky', silent });
}

function follow(clearance: Clearance, address: WireCase, snapshot: NodeSnapshot): Step {
  const { ip } = address;
  const lastAt = snapshot.wire.looks.get(ip)?.sentAt.at(-1) ?? -Infinity;
  switch (clearance.kind) {
    case 'add':
    case 'handed': {
      const found = clearance.findings.filter(({ kind }) => kind === 'proxyArp');
      return { proxies: found.map(({ mac }) => mac), wakeAt: lastAt + renewLookMs };
    }
    case 'ask':
      return askAhead(clearance.asks, lastAt, snapshot);
    case 'wait':
      return { wakeAt: clearance.until };
    case 'heldByMember':
      return { wakeAt: lastAt + againMs };
    case 'conflict': {
      // Without addresses to put it to the test with, a router that answers for everything looks like a host.
      const isTested = findControls(address, snapshot).length > 0;
      if (!isTested) return { wakeAt: lastAt + renewLookMs };
      return { conflict: { ip, mac: clearance.mac } };
    }
    default:
      return clearance satisfies never;
  }
}

/** A look that begins again so soon would only follow another member that begins again, too. */
function askAhead(asks: readonly Ask[], lastAt: number, { now }: NodeSnapshot): Step {
  const [first] = asks;
  const isAgain = asks.length === 1 && first?.isFirst === true && now < lastAt + againMs;
  if (isAgain) return { wakeAt: lastAt + againMs };
  return { asks: asks.map((ask) => (ask.isFirst ? { ...ask, isAhead: true } : ask)) };
}
