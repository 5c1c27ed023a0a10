/**
 * What a guarded node lets in at the addresses of Services: their ports. What listens on all addresses of the node, such
 * as its SSH server, is thereby not to be had at those.
 */

import { formatOpening, type GuardRules, noGuard, type Opening } from '../../model/guard.ts';
import { keyOf } from '../../model/identity.ts';
import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { AgentOffer } from '../../model/read-agent-offer.ts';
import type { ConfigChoice, ConfigNotice } from './choose-agent-config.ts';
import type { NodeSnapshot } from './node-snapshot.ts';
import type { Placing } from './place-addresses.ts';

type GuardFacts = Pick<NodeSnapshot, 'config' | 'survey' | 'held' | 'loadBalancers'>;

/** IPVS keeps the addresses of all Services there, beside ours. */
const ipvsLink = 'kube-ipvs0';

/**
 * Guarded is what belongs here and what is still here, so that an address is guarded before it comes and until it is
 * gone. Undefined: what is here is not known, and the guard stays as it is.
 */
export function planGuard(
  facts: GuardFacts,
  { decisions }: Pick<Placing, 'decisions'>,
): GuardRules | undefined {
  const { config, survey, held, loadBalancers } = facts;
  if (config?.isGuarded !== true) return noGuard;
  if (survey.kind === 'unknown') return undefined;
  const ours = new Set(held.filter(({ isOurs }) => isOurs).map(({ ip }) => ip));
  const wanted = decisions.flatMap(({ ip, outcome }) => ('wanted' in outcome ? [ip] : []));
  const foreign = findForeign(facts);
  const addresses = [...new Set([...wanted, ...ours])].filter((ip) => !foreign.has(ip)).sort();
  const services = new Map(loadBalancers.map((service) => [service.key, service]));
  const sharing = new Map(
    decisions.map(({ ip, services: keys }) => [ip, keys.flatMap((key) => services.get(key) ?? [])]),
  );
  return {
    addresses,
    openings: addresses.flatMap((ip) => openingsAt(ip, sharing.get(ip) ?? [])),
  };
}

/** A node's own address that a Service was given by mistake: to guard it would be to lock everyone out. */
function findForeign({ held }: Pick<GuardFacts, 'held'>): ReadonlySet<Ip> {
  const foreign = held.filter(({ isOurs, link }) => !isOurs && link !== ipvsLink);
  return new Set(foreign.map(({ ip }) => ip));
}

/** The ports at an address of all Services that have it. */
export function openingsAt(ip: Ip, services: readonly LoadBalancer[]): readonly Opening[] {
  const openings = services.flatMap(({ ports }) => {
    return ports.map(({ protocol, port }): Opening => ({ ip, protocol, port }));
  });
  return [...new Map(openings.map((one) => [formatOpening(one), one])).values()];
}

/** Told on the LBNodeAgent that asks for it. */
export function noticeGuardFailure(
  { source }: Pick<ConfigChoice, 'source'>,
  offers: readonly AgentOffer[],
  { node, words }: { readonly node: string; readonly words: string },
): readonly ConfigNotice[] {
  const message = `spec.local.guard has no effect on node ${node}: ${words}`;
  return offers
    .filter((offer) => keyOf(offer) === source)
    .map(({ namespace, name, uid }) => {
      return { about: { namespace, name, uid }, reason: 'GuardFailed', message };
    });
}
