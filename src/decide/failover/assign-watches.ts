/**
 * Who watches whom. Each member is watched, on each segment, by the first two live members in rank on that segment:
 * those of another zone first, since racks die as a whole. Whoever is found dead is out of the ranking, so the next in
 * rank inherits what it watched. Therefore those that hold nothing are watched too: a holder may die together with both
 * of its watchers.
 */

import type { Ip } from '../../model/ip.ts';
import type { Mac } from '../../model/mac.ts';
import type { Member, MemberLink } from '../../model/member.ts';
import { type Prefix, prefixesOverlap } from '../../model/prefix.ts';
import { rankNodes } from '../announcement/rank-nodes.ts';

/** A link of this node that local addresses may be on. */
export interface OwnLink {
  readonly name: string;
  readonly subnets: readonly Prefix[];
}

export interface WatchFacts {
  readonly me: string;
  readonly links: readonly OwnLink[];
  /** By their Leases, whether they live or not. */
  readonly members: readonly Member[];
  /** Members that nobody need wait for: their Lease ended, or the wire showed them silent. */
  readonly dead: ReadonlySet<string>;
  readonly zones: ReadonlyMap<string, string>;
  /** Addresses by the member that holds them. */
  readonly holdings: ReadonlyMap<string, readonly Ip[]>;
}

/** A holder on one of this node's links, and whom to ask there to know that silence is not this node's own. */
export interface Watch {
  readonly holder: string;
  /** This node's. */
  readonly link: string;
  /** Every MAC that may answer for the holder there. */
  readonly macs: readonly Mac[];
  /** Its own addresses on the link. */
  readonly nodeIps: readonly Ip[];
  /** Addresses of Services that it holds there. */
  readonly ips: readonly Ip[];
  /** Others on the segment, and its gateways. */
  readonly beacons: readonly Beacon[];
  /** This node is the first of those that watch it, and tells people what becomes of it. */
  readonly isFirst?: true;
}

export interface Beacon {
  /** A member's name, or `gateway`. */
  readonly who: string;
  readonly ip: Ip;
  /** Unknown for gateways: they are asked by everyone's ear. */
  readonly mac: Mac | undefined;
}

const watchersEach = 2;
/** One that answers is enough, and each costs a frame. */
const mostBeacons = 3;

export function assignWatches(facts: WatchFacts): readonly Watch[] {
  // Nothing can be lost where nobody holds anything.
  if (facts.holdings.size === 0) return [];
  return facts.links.flatMap((link) => {
    const present = findPresent(facts, link);
    const ring = ringOf(present, facts);
    const ranked = present
      .filter(({ node }) => node !== facts.me)
      .map((holder) => ({ holder, rank: ownRank(holder.node, ring, facts) }));
    const own = ranked.filter(({ rank }) => rank < watchersEach);
    return [...own, ...findCompanion(ranked, own, facts)]
      .map(({ holder, rank }) => ({
        ...describe(holder, present, link, facts),
        ...(rank === 0 ? ({ isFirst: true } as const) : {}),
      }))
      .filter(({ ips, nodeIps, macs }) => ips.length + nodeIps.length > 0 && macs.length > 0);
  });
}

interface Ranked {
  readonly holder: Presence;
  /** How many would watch it rather than this node. */
  readonly rank: number;
}

/** Who holds something and is to watch only the dead would never know that it is cut off: it watches one more. */
function findCompanion(
  ranked: readonly Ranked[],
  own: readonly Ranked[],
  { me, holdings, dead }: WatchFacts,
): readonly Ranked[] {
  const isAlive = ({ holder }: Ranked) => !dead.has(holder.node);
  if (!holdings.has(me) || own.some(isAlive)) return [];
  return ranked
    .filter(isAlive)
    .toSorted((left, right) => left.rank - right.rank)
    .slice(0, 1);
}

/** How to look at a member on all links that it shares with this node, whoever watches it. */
export function describeWatches(node: string, facts: WatchFacts): readonly Watch[] {
  return facts.links.flatMap((link) => {
    const present = findPresent(facts, link);
    return present
      .filter((one) => one.node === node && node !== facts.me)
      .map((one) => describe(one, present, link, facts))
      .filter(({ nodeIps, macs }) => nodeIps.length > 0 && macs.length > 0);
  });
}

/** Addresses of the other members on a link, to tell them something. */
export function findPeers(name: string, facts: WatchFacts): readonly Ip[] {
  const links = facts.links.filter((link) => link.name === name);
  return links
    .flatMap((link) => findPresent(facts, link))
    .filter(({ node }) => node !== facts.me)
    .flatMap(({ link }) => link.addresses.slice(0, 1).map(({ ip }) => ip));
}

function findPresent({ members }: WatchFacts, link: OwnLink): readonly Presence[] {
  return members.flatMap((member) => findPresence(member, link));
}

/** A member on the segment, with its link there. */
interface Presence {
  readonly node: string;
  readonly link: MemberLink;
}

function findPresence({ node, links }: Member, { subnets }: OwnLink): readonly Presence[] {
  const link = links.find(({ addresses }) =>
    addresses.some((address) => subnets.some((subnet) => prefixesOverlap(subnet, address))),
  );
  return link === undefined ? [] : [{ node, link }];
}

/**
 * In an order that all agree on and that has nothing to do with racks. Each is watched by those that follow it: so all
 * have as much to watch, and who comes or goes changes that of its neighbours only.
 */
function ringOf(present: readonly Presence[], { me, dead }: WatchFacts): Ring {
  const names = rankNodes(
    'watch',
    present.map(({ node }) => node),
  );
  return { names, able: new Set(names.filter((node) => node === me || !dead.has(node))) };
}

interface Ring {
  readonly names: readonly string[];
  /** Those that can watch. */
  readonly able: ReadonlySet<string>;
}

/** How many would watch the holder rather than this node. */
function ownRank(holder: string, { names, able }: Ring, { me, zones }: WatchFacts): number {
  const at = names.indexOf(holder);
  const following = [...names.slice(at + 1), ...names.slice(0, at)].filter((node) =>
    able.has(node),
  );
  const zone = zones.get(holder);
  const isElsewhere = (node: string) => zone !== undefined && zones.get(node) !== zone;
  const others = following.filter(isElsewhere);
  const order = [...others, ...following.filter((node) => !isElsewhere(node))];
  return order.indexOf(me);
}

function describe(
  { node, link }: Presence,
  present: readonly Presence[],
  own: OwnLink,
  { me, holdings, dead, members }: WatchFacts,
): Watch {
  const ips = holdings.get(node) ?? [];
  const others = present.filter((one) => one.node !== node && one.node !== me);
  const living = others.filter((one) => !dead.has(one.node)).flatMap(beaconOf);
  const mine = members.find((member) => member.node === me)?.links ?? [];
  const gateways = mine
    .filter(({ name }) => name === own.name)
    .flatMap((each) => each.gateways.map((ip): Beacon => ({ who: 'gateway', ip, mac: undefined })));
  return {
    holder: node,
    link: own.name,
    macs: link.macs,
    nodeIps: link.addresses.map(({ ip }) => ip),
    ips: ips.toSorted(),
    beacons: [...living.slice(0, mostBeacons - 1), ...gateways].slice(0, mostBeacons),
  };
}

function beaconOf({ node, link: { macs, addresses } }: Presence): readonly Beacon[] {
  const [mac] = macs;
  const [address] = addresses;
  return mac === undefined || address === undefined ? [] : [{ who: node, ip: address.ip, mac }];
}
