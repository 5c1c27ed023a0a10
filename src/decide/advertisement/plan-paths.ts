/** Addresses on the imported links → the routes that this node advertises. */

import type { HeldAddress } from '../../model/address.ts';
import type { BgpImport } from '../../model/bgp-config.ts';
import { type BgpPath, plainRoute } from '../../model/bgp-path.ts';
import { addressBits, familyOf, type Ip, ipOf } from '../../model/ip.ts';
import {
  formatPrefix,
  hostPrefixOf,
  networkOf,
  type Prefix,
  prefixContains,
} from '../../model/prefix.ts';
import { findCaptured, type ProtectedPrefix } from '../announcement/protected-prefixes.ts';
import { matchesGlob } from './matches-glob.ts';

export interface PathFacts {
  readonly import: BgpImport;
  readonly addresses: readonly HeldAddress[];
  /** PureLB's own link: former software may have left addresses there. */
  readonly virtualLink: string;
  /** Addresses on it without PureLB's mark that a Service has. */
  readonly served: ReadonlySet<Ip>;
  /** Networks that members of the cluster are on: hosts there are reached without us. */
  readonly memberSubnets: readonly Prefix[];
  readonly protectedPrefixes: readonly ProtectedPrefix[];
  /** For IPv6; undefined: no session can carry any. */
  readonly ipv6NextHop: Ip | undefined;
}

export interface PathPlan {
  readonly paths: readonly BgpPath[];
  readonly imported: readonly ImportedAddress[];
}

export interface ImportedAddress {
  /** With its prefix length, as it is on the link. */
  readonly address: string;
  readonly link: string;
  /** What it makes us advertise; undefined: nothing, for this reason. */
  readonly prefix: Prefix | undefined;
  readonly reason: ImportReason;
}

export type ImportReason =
  | 'advertised'
  /** As one address alone: its prefix would draw the cluster's own network to us. */
  | 'aggregationUnsafe'
  | 'localToMember'
  /** Without PureLB's mark on PureLB's link, and no Service has it. */
  | 'noService'
  | 'notRoutable'
  | 'noNextHop'
  | 'notReady';

/** Several addresses of one prefix are one route, which stays until the last of them goes. */
export function planPaths(facts: PathFacts): PathPlan {
  const { import: wanted, addresses } = facts;
  const listed = wanted.isEnabled
    ? addresses.filter(({ link }) => wanted.interfaces.some((glob) => matchesGlob(glob, link)))
    : [];
  const imported = listed.map((address) => judge(address, facts));
  const prefixes = new Map(
    imported.flatMap(({ prefix }) =>
      prefix === undefined ? [] : [[formatPrefix(prefix), prefix]],
    ),
  );
  const paths = [...prefixes.values()].map((prefix) => ({
    prefix,
    nextHop: nextHopOf(prefix, facts),
    ...plainRoute,
  }));
  return { paths, imported };
}

function judge(address: HeldAddress, facts: PathFacts): ImportedAddress {
  const { ip, prefixLength, link } = address;
  const about = { address: `${ip}/${prefixLength}`, link };
  const obstacle = findObstacle(address, facts);
  if (obstacle !== undefined) return { ...about, prefix: undefined, reason: obstacle };
  const wide = networkOf({ ip, length: prefixLength });
  const isUnsafe = findCaptured(wide, facts.protectedPrefixes) !== undefined;
  return isUnsafe
    ? { ...about, prefix: hostPrefixOf(ip), reason: 'aggregationUnsafe' }
    : { ...about, prefix: wide, reason: 'advertised' };
}

function findObstacle(address: HeldAddress, facts: PathFacts): ImportReason | undefined {
  const { ip, scope, hasFailedDad, isTentative } = address;
  if (scope !== 'global' && scope !== 'site') return 'notRoutable';
  if (hasFailedDad || isTentative) return 'notReady';
  if (isLeftover(address, facts)) return 'noService';
  const isLocal = facts.memberSubnets.some((subnet) => prefixContains(subnet, ip));
  if (isLocal && !facts.import.takesLocal) return 'localToMember';
  if (familyOf(ip) === 'ipv6' && facts.ipv6NextHop === undefined) return 'noNextHop';
  return undefined;
}

/** On other links that are imported people put addresses for others than Services. */
function isLeftover({ isOurs, link, ip }: HeldAddress, facts: PathFacts): boolean {
  return !isOurs && link === facts.virtualLink && !facts.served.has(ip);
}

const self = { ipv4: ipOf('0.0.0.0'), ipv6: ipOf('::') } as const;

/** IPv4 is always the session's own address, on IPv6 sessions too (RFC 8950). */
function nextHopOf({ ip }: Prefix, { ipv6NextHop }: PathFacts): Ip {
  return familyOf(ip) === 'ipv4' ? self.ipv4 : (ipv6NextHop ?? self.ipv6);
}

export function isHostRoute({ ip, length }: Prefix): boolean {
  return length === addressBits[familyOf(ip)];
}
