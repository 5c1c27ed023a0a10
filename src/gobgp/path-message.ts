/** Routes ↔ messages of GoBGP's API. */

import {
  type BgpPath,
  familyOfPath,
  type LearntPath,
  type RouteAttributes,
  sortedCommunities,
} from '../model/bgp-path.ts';
import { ipOf, parseIp } from '../model/ip.ts';
import { isProblem } from '../model/parsed.ts';
import { networkOf } from '../model/prefix.ts';
import type { InputOf, ValueOf } from '../runtime/protobuf.ts';
import type { attribute, path } from './api-paths.ts';
import { encodeFamily } from './encode-peer.ts';

type PathMessage = ValueOf<typeof path>;

export function encodePath(wanted: BgpPath, isWithdraw = false): InputOf<typeof path> {
  const { prefix, nextHop } = wanted;
  const isIpv4 = familyOfPath(wanted) === 'ipv4';
  const family = encodeFamily(isIpv4 ? 'ipv4-unicast' : 'ipv6-unicast');
  const nlri = { prefix: { prefix: prefix.ip, prefixLen: prefix.length } };
  return {
    family,
    nlri,
    isWithdraw,
    pattrs: [
      { origin: { origin: 0 } },
      isIpv4
        ? { nextHop: { nextHop } }
        : { mpReach: { family, nextHops: [nextHop], nlris: [nlri] } },
      ...encodeAttributes(wanted),
    ],
  };
}

const sequence = 2;

function encodeAttributes(attributes: RouteAttributes): InputOf<typeof attribute>[] {
  const { communities, largeCommunities, asPath, med, localPreference } = attributes;
  return [
    ...(asPath.length > 0 ? [{ asPath: { segments: [{ type: sequence, numbers: asPath }] } }] : []),
    ...(med === undefined ? [] : [{ multiExitDisc: { med } }]),
    ...(localPreference === undefined ? [] : [{ localPref: { localPref: localPreference } }]),
    ...(communities.length > 0
      ? [{ communities: { communities: communities.map(communityNumber) } }]
      : []),
    ...(largeCommunities.length > 0
      ? [{ largeCommunities: { communities: largeCommunities.map(largeCommunityParts) } }]
      : []),
  ];
}

function largeCommunityParts(text: string) {
  const [globalAdmin = 0, localData1 = 0, localData2 = 0] = text.split(':').map(Number);
  return { globalAdmin, localData1, localData2 };
}

export function communityNumber(text: string): number {
  const [high = '', low = ''] = text.split(':');
  return Number(high) * 0x1_0000 + Number(low);
}

function communityText(number: number): string {
  return `${Math.floor(number / 0x1_0000)}:${number % 0x1_0000}`;
}

/** Undefined for routes that are none of IPv4 or IPv6 unicast. */
export function decodePath(message: PathMessage): BgpPath | undefined {
  const found = message.nlri?.prefix;
  const nextHop = parseIp(nextHopOf(message));
  const ip = parseIp(found?.prefix ?? '');
  if (found === undefined || isProblem(ip)) return undefined;
  return {
    prefix: networkOf({ ip: ip.value, length: found.prefixLen }),
    nextHop: isProblem(nextHop) ? ipOf('0.0.0.0') : nextHop.value,
    ...decodeAttributes(message),
  };
}

function decodeAttributes({ pattrs }: PathMessage): RouteAttributes {
  const large = pattrs.flatMap((each) => each.largeCommunities?.communities ?? []);
  const [med] = pattrs.flatMap((each) => each.multiExitDisc?.med ?? []);
  const [localPreference] = pattrs.flatMap((each) => each.localPref?.localPref ?? []);
  return {
    communities: sortedCommunities(
      pattrs.flatMap((each) => each.communities?.communities ?? []).map(communityText),
    ),
    largeCommunities: sortedCommunities(
      large.map((each) => `${each.globalAdmin}:${each.localData1}:${each.localData2}`),
    ),
    asPath: pattrs.flatMap((each) => each.asPath?.segments ?? []).flatMap(({ numbers }) => numbers),
    med,
    localPreference,
  };
}

function nextHopOf({ pattrs }: PathMessage): string {
  const found = pattrs.flatMap(({ nextHop, mpReach }) => [
    ...(nextHop === undefined ? [] : [nextHop.nextHop]),
    ...(mpReach?.nextHops ?? []),
  ]);
  return found[0] ?? '';
}

export function decodeLearnt(message: PathMessage, ownAsn: number): LearntPath | undefined {
  const decoded = decodePath(message);
  if (decoded === undefined) return undefined;
  const { pattrs, neighborIp, best, stale, sourceAsn } = message;
  const segments = pattrs.flatMap((each) => each.asPath?.segments ?? []);
  return {
    ...decoded,
    from: neighborIp,
    isBest: best,
    isStale: stale,
    // A set counts once, however many are in it (RFC 4271, 9.1.2.2).
    asPathLength: segments.reduce(
      (sum, each) => sum + (each.type === 1 ? 1 : each.numbers.length),
      0,
    ),
    isInternal: sourceAsn === ownAsn,
  };
}

/** Of our own, the daemon names no neighbour that an address could belong to. */
export function isOwn({ neighborIp }: PathMessage): boolean {
  const ip = parseIp(neighborIp.split('%')[0] ?? '');
  return isProblem(ip) || ip.value === '0.0.0.0' || ip.value === '::';
}
