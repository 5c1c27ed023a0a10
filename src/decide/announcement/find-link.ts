import { familyOf, type Ip } from '../../model/ip.ts';
import type { Link } from '../../model/link.ts';
import { prefixContains } from '../../model/prefix.ts';
import type { LinkHealth } from './judge-links.ts';
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
    return subnet === undefined ? [] : [{ link, health, prefixLength: subnet.length }];
  });
  const ready = containing.find(({ health }) => health === 'ready');
  if (ready !== undefined)
    return { kind: 'link', link: ready.link, prefixLength: ready.prefixLength };
  const [first] = containing;
  if (first === undefined) return { kind: 'none' };
  return { kind: 'unready', link: first.link, health: first.health };
}
