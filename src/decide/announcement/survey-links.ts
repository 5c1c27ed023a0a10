/**
 * The links of this node that may hold local addresses, with their networks. The Lease and the placement of addresses
 * both go by it, so that no node is elected for an address that it cannot put anywhere.
 */

import type { HeldAddress } from '../../model/address.ts';
import type { LinkChoice } from '../../model/agent-config.ts';
import type { Family } from '../../model/ip.ts';
import type { Link } from '../../model/link.ts';
import type { Route } from '../../model/route.ts';
import { findDefaultLinks } from './default-links.ts';
import type { LinkHealth } from './judge-links.ts';
import { type OnLinkSubnet, onLinkSubnets } from './on-link-subnets.ts';

/** What was read from the kernel. Undefined where a read failed: unknown, which is not the same as none. */
export interface KernelView {
  readonly links: readonly Link[] | undefined;
  readonly addresses: readonly HeldAddress[] | undefined;
  readonly routes: readonly Route[] | undefined;
}

export type LinkSurvey =
  | { readonly kind: 'unknown'; readonly unread: readonly (keyof KernelView)[] }
  | {
      readonly kind: 'known';
      /** In the order in which they are tried. */
      readonly links: Readonly<Record<Family, readonly SurveyedLink[]>>;
      /** Where several links have a default route, those that were not chosen. */
      readonly passedOver: Readonly<Record<Family, readonly Link[]>>;
    };

export interface SurveyedLink {
  readonly link: Link;
  readonly health: LinkHealth;
  /** Most specific first. */
  readonly subnets: readonly OnLinkSubnet[];
}

export interface LinkWish {
  readonly choice: LinkChoice;
  /** Carries the remote addresses, and never a local one. */
  readonly dummyLink: string;
  readonly health: ReadonlyMap<number, LinkHealth>;
}

export function surveyLinks(view: KernelView, wish: LinkWish): LinkSurvey {
  const { links, addresses, routes } = view;
  if (links === undefined || addresses === undefined || routes === undefined) {
    const names = ['links', 'addresses', 'routes'] as const;
    return { kind: 'unknown', unread: names.filter((name) => view[name] === undefined) };
  }
  const usable = links.filter(({ name }) => name !== wish.dummyLink && !foreignLinks.has(name));
  const survey = (family: Family) => {
    const { chosen, passedOver } = chooseLinks(family, usable, routes, wish.choice);
    const surveyed = chosen.map((link) => ({
      link,
      health: wish.health.get(link.index) ?? 'down',
      subnets: onLinkSubnets(link, family, addresses, routes),
    }));
    return { surveyed, passedOver };
  };
  const [ipv4, ipv6] = [survey('ipv4'), survey('ipv6')];
  return {
    kind: 'known',
    links: { ipv4: ipv4.surveyed, ipv6: ipv6.surveyed },
    passedOver: { ipv4: ipv4.passedOver, ipv6: ipv6.passedOver },
  };
}

/** Links on which other managers keep addresses of Services; never a place for ours, even if named. */
const foreignLinks: ReadonlySet<string> = new Set(['kube-ipvs0', 'nodelocaldns']);

function chooseLinks(
  family: Family,
  links: readonly Link[],
  routes: readonly Route[],
  { pattern, names }: LinkChoice,
): { readonly chosen: readonly Link[]; readonly passedOver: readonly Link[] } {
  const named = names.flatMap((name) => links.find((link) => link.name === name) ?? []);
  if (pattern !== undefined) {
    return { chosen: [...new Set([...matching(links, pattern), ...named])], passedOver: [] };
  }
  const { chosen, passedOver } = findDefaultLinks(family, links, routes);
  return { chosen: [...new Set([...chosen, ...named])], passedOver };
}

/** By name, so that the order in which the machine found its cards does not matter. */
function matching(links: readonly Link[], pattern: RegExp): readonly Link[] {
  return links
    .filter(({ isLoopback, isNoArp }) => !isLoopback && !isNoArp)
    .filter(({ name }) => pattern.test(name))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
