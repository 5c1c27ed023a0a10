/**
 * Which addresses belong on this node: on the link in their subnet if it is the one elected for them, on its virtual
 * link if they are remote. Everything else is absent from what is wanted; losing an address is no case of its own.
 */

import type { HeldAddress, WantedAddress } from '../../model/address.ts';
import type { Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { dueTogether } from '../failover/common-beat.ts';
import { planHandover } from '../failover/plan-handover.ts';
import {
  type AddressCase,
  type AddressDecision,
  absent,
  leave,
  type Verdict,
} from './address-decision.ts';
import { findTerms } from './announce-terms.ts';
import { type Point, pointOf } from './electorate.ts';
import { findLink } from './find-link.ts';
import type { NodeSnapshot } from './node-snapshot.ts';
import { placeLocal } from './place-local.ts';
import { placeRemote } from './place-remote.ts';
import { areEndpointsGone, dependsOnEndpoints, needsEndpoints } from './service-needs.ts';

export interface Placing {
  /** One for each address that a Service of ours has, in their order. */
  readonly decisions: readonly AddressDecision[];
  readonly wanted: readonly WantedAddress[];
  /** Addresses that stay as they are: something about them is not known. */
  readonly left: ReadonlySet<Ip>;
  /** When to place anew though nothing else changes; `Infinity` if never. */
  readonly wakeAt: number;
}

type CaseFacts = Pick<NodeSnapshot, 'loadBalancers' | 'pools' | 'recorded'>;

/** A crowd of addresses is asked for one after the other: that is to be one more pass, and not several. */
const togetherMs = 10;

export function placeAddresses(snapshot: NodeSnapshot): Placing {
  const heldByIp = Map.groupBy(snapshot.held, ({ ip }) => ip);
  const decisions = collectCases(snapshot, heldByIp).map((address): AddressDecision => {
    const { ip, services, terms } = address;
    const keys = services.map(({ key }) => key);
    const verdict = planHandover(address, snapshot, decide(address, snapshot));
    return { ip, services: keys, mode: terms.mode, ...verdict };
  });
  return summarize(decisions);
}

/** What follows from these decisions taken together. */
export function summarize(decisions: readonly AddressDecision[]): Placing {
  return {
    decisions,
    wanted: decisions.flatMap(({ outcome }) => ('wanted' in outcome ? [outcome.wanted] : [])),
    left: new Set(decisions.filter(({ outcome }) => outcome.kind === 'leave').map(({ ip }) => ip)),
    wakeAt: dueTogether(
      decisions.map(({ wakeAt = Infinity }) => wakeAt),
      togetherMs,
    ),
  };
}

/** Whether endpoints have to be known to place these: agents watch them only then. */
export function needEndpoints(facts: CaseFacts): boolean {
  const { loadBalancers, pools } = facts;
  // Mostly nobody asks, and then no address has to be looked at.
  const mayBe = pools.some(({ withdrawsWithoutEndpoints }) => withdrawsWithoutEndpoints);
  if (!mayBe && !loadBalancers.some(dependsOnEndpoints)) return false;
  return collectCases(facts).some(needsEndpoints);
}

/** A Service that is being deleted gives up its addresses at once. */
function collectCases(
  { loadBalancers, pools, recorded }: CaseFacts,
  heldByIp: ReadonlyMap<Ip, readonly HeldAddress[]> = new Map(),
): readonly AddressCase[] {
  const byIp = new Map<Ip, [LoadBalancer, ...LoadBalancer[]]>();
  // In the same order on every node, whichever Service came first there.
  for (const one of loadBalancers.filter(isServed).sort(byKey)) {
    for (const ip of new Set(one.grant.ingress)) {
      const sharing = byIp.get(ip);
      if (sharing === undefined) byIp.set(ip, [one]);
      else sharing.push(one);
    }
  }
  return [...byIp]
    .map(([ip, services]) => ({ ip, services, point: pointOf(ip) }))
    .sort((left, right) => comparePoints(left.point, right.point))
    .map(({ ip, services }) => ({
      ip,
      services,
      terms: findTermsOf(services, { pools, recorded }, ip),
      held: heldByIp.get(ip)?.filter(({ isOurs }) => isOurs) ?? [],
      slot: services.flatMap(({ grant }) => grant.slots).find((slot) => slot.ip === ip),
    }));
}

/** As the first of those that share it says, unless only another has a record of it. */
function findTermsOf(
  services: readonly [LoadBalancer, ...LoadBalancer[]],
  groups: Pick<CaseFacts, 'pools' | 'recorded'>,
  ip: Ip,
) {
  const given = services.find(({ grant }) => grant.record?.ips.includes(ip));
  return findTerms(groups, (given ?? services[0]).grant, ip);
}

function isServed({ isLoadBalancer, grant, identity }: LoadBalancer): boolean {
  return isLoadBalancer && grant.isOurs && !identity.isDeleting;
}

/** IPv4 before IPv6. */
export function comparePoints(left: Point, right: Point): number {
  if (left.family !== right.family) return left.family === 'ipv4' ? -1 : 1;
  return left.value < right.value ? -1 : 1;
}

function byKey(left: LoadBalancer, right: LoadBalancer): number {
  return left.key < right.key ? -1 : 1;
}

function decide(address: AddressCase, snapshot: NodeSnapshot): Verdict {
  const { config, survey } = snapshot;
  if (config === undefined) return absent('noConfig');
  if (!address.terms.isGiven) return absent('notGiven');
  const found = findLink(survey, address.ip);
  if (found.kind === 'unknown') return leave('resolutionIndeterminate');
  const areGone = areEndpointsGone(address, snapshot);
  if (areGone === undefined) return leave('endpointsUnknown');
  if (areGone) return absent('noEndpoints');
  // Upstream's order: a subnet that contains the address makes it local, whatever kind of group it is from.
  if (found.kind === 'link') return placeLocal(address, snapshot, config, found);
  if (found.kind === 'unready') return absent('linkNotReady');
  return placeElsewhere(address, snapshot);
}

/** Without a link in its subnet. */
function placeElsewhere(address: AddressCase, snapshot: NodeSnapshot): Verdict {
  const { config } = snapshot;
  const { mode } = address.terms;
  if (config === undefined || mode === 'local') return absent('noLocalInterface');
  // Its group may only be unreadable for the moment.
  if (mode === undefined) return leave('poolUnknown');
  return placeRemote(address, snapshot, config);
}
