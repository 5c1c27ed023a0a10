import { addressBits, familyOf, type Ip } from '../../model/ip.ts';
import type { Link } from '../../model/link.ts';
import { prefixContains } from '../../model/prefix.ts';
import type { LinkHealth } from './judge-links.ts';
import type { OnLinkSubnet } from './on-link-subnets.ts';
import type { KernelView, LinkSurvey } from './survey-links.ts';

export type LinkFinding =
  | { readonly kind: 'link'; readonly link: Link; readonly prefixLength: number }
  /** The node is in the address's subnet, but cannot serve there now: nor may it put the address elsewhere. */
  | { readonly kind: 'unready'; readonly link: Link; readonly health: LinkHealth }
  | { readonly kind: 'none' }
  /** Leave everything as it is, and look again soon. */
  | { readonly kind: 'unknown'; readonly unread: readonly (keyof KernelView)[] };

/** The link of this node that an address belongs on, with the prefix length of its subnet there. */
export function findLink(survey: LinkSurvey, ip: Ip): LinkFinding {
  if (survey.kind === 'unknown') return survey;
  const containing = survey.links[familyOf(ip)].flatMap(({ link, health, subnets }) => {
    const subnet = subnets.find((prefix) => prefixContains(prefix, ip));
    return subnet === undefined ? [] : [{ link, health, prefixLength: lengthIn(subnet) }];
  });
  const ready = containing.find(({ health }) => health === 'ready');
  if (ready !== undefined)
    return { kind: 'link', link: ready.link, prefixLength: ready.prefixLength };
  const [first] = containing;
  if (first === undefined) return { kind: 'none' };
  return { kind: 'unready', link: first.link, health: first.health };
}

/**
 * With the length of a network in which the node has but a single address (/32), ours would be the only one of that
 * network, and the node's own traffic to its gateway would leave with it. IPv6 never does: ours are deprecated there.
 */
function lengthIn({ ip, length, isFromRoute }: OnLinkSubnet): number {
  const family = familyOf(ip);
  return isFromRoute === true && family === 'ipv4' ? addressBits[family] : length;
}
