/** What this node tells the others in its Lease about where it is. */

import { type Family, familyOf } from '../../model/ip.ts';
import type { Link } from '../../model/link.ts';
import type { MemberLink } from '../../model/member.ts';
import type { MemberLinks } from '../../model/member-links.ts';
import { formatPrefix, type Prefix, prefixesOverlap } from '../../model/prefix.ts';
import { isDefault } from './default-links.ts';
import { isOwn } from './on-link-subnets.ts';
import type { KernelView, LinkSurvey, SurveyedLink } from './survey-links.ts';

export interface LocalSubnets {
  /** Networks that this node can hold addresses of now: `purelb.io/subnets`. */
  readonly ready: readonly Prefix[];
  /** Those of links that are not ready. */
  readonly unready: readonly Prefix[];
}

/** Of the protocol between agents: probes, hints, handovers. */
export const protocolVersion = 2;

/** Sorted by text, each once. Undefined: unknown, so that the Lease keeps what it says. */
export function findLocalSubnets(survey: LinkSurvey): LocalSubnets | undefined {
  if (survey.kind === 'unknown') return undefined;
  const links = [...survey.links.ipv4, ...survey.links.ipv6];
  const ready = subnetsOf(links.filter(({ health }) => health === 'ready'));
  const texts = new Set(ready.map(formatPrefix));
  const all = subnetsOf(links);
  return { ready, unready: all.filter((prefix) => !texts.has(formatPrefix(prefix))) };
}

/** `purelb.io/subnets`. */
export function encodeSubnets(subnets: readonly Prefix[]): string {
  return subnets.map(formatPrefix).join(',');
}

/** `purelb.io/links`: also of links that are not ready, since they may answer all the same. */
export function describeLinks(survey: LinkSurvey, view: KernelView): MemberLinks | undefined {
  if (survey.kind === 'unknown') return undefined;
  const surveyed = [...survey.links.ipv4, ...survey.links.ipv6].map(({ link }) => link);
  const links = [...new Map(surveyed.map((link) => [link.index, link])).values()];
  return {
    version: protocolVersion,
    links: links.sort(byName).map((link) => describeLink(link, view)),
  };
}

function describeLink(link: Link, view: KernelView): MemberLink {
  const { links = [], routes = [] } = view;
  const hops = routes.filter(isDefault).flatMap(({ nextHops }) => nextHops);
  const gateways = hops.flatMap(({ linkIndex, gateway }) =>
    linkIndex === link.index && gateway !== undefined ? [gateway] : [],
  );
  const macs = links
    .filter((other) => mayAnswerFor(other, link, view))
    .flatMap(({ mac }) => mac ?? []);
  return {
    name: link.name,
    macs: [...new Set(link.mac === undefined ? macs : [link.mac, ...macs.sort()])],
    addresses: ownPrefixes(link, view),
    gateways: [...new Set(gateways)].sort(),
  };
}

/**
 * With `arp_ignore=0` a host answers on every card that is on the segment, with that card's MAC. Which ones are cannot
 * be seen from inside: those in the same network, and every physical card (their MACs are theirs alone; those of
 * bridges may be the same on many hosts). Members of a bond answer by turns.
 */
function mayAnswerFor(other: Link, link: Link, view: KernelView): boolean {
  if (other.index === link.index || other.isLoopback || other.isNoArp) return false;
  if (other.kind === undefined || other.masterIndex === link.index) return true;
  const mine = ownPrefixes(link, view);
  return ownPrefixes(other, view).some((prefix) =>
    mine.some((own) => familyOf(own.ip) === familyOf(prefix.ip) && prefixesOverlap(own, prefix)),
  );
}

function ownPrefixes(link: Link, { addresses = [] }: KernelView): readonly Prefix[] {
  const own = (['ipv4', 'ipv6'] as const satisfies readonly Family[]).flatMap((family) =>
    addresses.filter((address) => isOwn(address, link, family)),
  );
  const prefixes = own.map(({ ip, prefixLength }) => ({ ip, length: prefixLength }));
  return prefixes.sort((left, right) => (formatPrefix(left) < formatPrefix(right) ? -1 : 1));
}

function subnetsOf(links: readonly SurveyedLink[]): readonly Prefix[] {
  const found = links.flatMap(({ subnets }) => subnets);
  const unique = new Map(found.map((prefix) => [formatPrefix(prefix), prefix]));
  return [...unique].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, prefix]) => prefix);
}

function byName(left: Link, right: Link): number {
  return left.name < right.name ? -1 : 1;
}
