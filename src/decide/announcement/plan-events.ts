/** What people are told about addresses on this node, as Events on the Services: each fact once, when it becomes true. */

import { addressKey } from '../../model/address.ts';
import { requestAnnotations } from '../../model/annotations.ts';
import type { Slot } from '../../model/announcing.ts';
import { type Family, familyOf, type Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Mac } from '../../model/mac.ts';
import type { EventReason } from '../../model/reasons.ts';
import { isHandedOver, tellMoves } from '../failover/tell-moves.ts';
import type { AddressDecision } from './address-decision.ts';
import type { Electorate } from './electorate.ts';
import type { Setback, Setbacks } from './give-way.ts';
import { refusal } from './judge-announced.ts';
import { slotHeld } from './plan-slots.ts';
import type { LinkSurvey } from './survey-links.ts';
import type { UnmarkedCopy } from './unmarked-copies.ts';
import { type SpeakerFacts, whoSpeaks } from './who-speaks.ts';

export interface EventFacts {
  readonly node: string;
  readonly loadBalancers: readonly LoadBalancer[];
  readonly decisions: readonly AddressDecision[];
  /** What the kernel has now, by `addressKey`. */
  readonly held: Pick<ReadonlySet<string>, 'has'>;
  /** What the kernel refused, by `addressKey`, in its words. */
  readonly failures: ReadonlyMap<string, string>;
  /** What this node gave up on for the moment. */
  readonly setbacks: Setbacks;
  readonly conflicts: ReadonlyMap<Ip, { readonly mac: Mac | undefined }>;
  readonly survey: LinkSurvey;
  /** What a predecessor left in the kernel: it has told of it. */
  readonly adopted: ReadonlySet<string>;
  /** Addresses on this node that PureLB did not put there. */
  readonly unmarked?: readonly UnmarkedCopy[];
  readonly electorate: Electorate;
  readonly endpoints: SpeakerFacts['endpoints'];
}

export interface ServiceEvent {
  readonly service: Pick<LoadBalancer['identity'], 'namespace' | 'name' | 'uid'>;
  readonly reason: EventReason;
  readonly message: string;
}

export interface EventPlan {
  readonly events: readonly ServiceEvent[];
  /** All that is true now; to be given back next time. */
  readonly told: ReadonlySet<string>;
}

/** Without what was told before, as after a start, what a predecessor told is taken as told. */
export function planEvents(facts: EventFacts, told: ReadonlySet<string> | undefined): EventPlan {
  const services = new Map(facts.loadBalancers.map((service) => [service.key, service]));
  const truths = facts.decisions.flatMap((decision) => {
    const sharing = decision.services.flatMap((key) => services.get(key) ?? []);
    return sharing.flatMap((service) => {
      return findTruths(decision, service, facts).map((truth) => ({ ...truth, service }));
    });
  });
  const keyed = truths.map((truth) => {
    const { service, reason, message } = truth;
    return { ...truth, key: `${service.identity.uid} ${reason} ${message}` };
  });
  const news = keyed.filter(({ key, wasTold }) => !(told?.has(key) ?? wasTold === true));
  return {
    events: news.map(({ service, reason, message }) => {
      const { namespace, name, uid } = service.identity;
      return { service: { namespace, name, uid }, reason, message };
    }),
    told: new Set([...keyed.map(({ key }) => key), ...stillTold(facts, told ?? new Set())]),
  };
}

/** Of what stays as it is for the moment, what was told stays so: it is no news when that moment is over. */
function stillTold({ decisions }: EventFacts, told: ReadonlySet<string>): readonly string[] {
  const left = decisions.filter(({ outcome }) => outcome.kind === 'leave').map(({ ip }) => ip);
  if (left.length === 0) return [];
  const words = new Set<string>(left);
  return [...told].filter((key) => key.split(' ').some((word) => words.has(word)));
}

interface Truth {
  readonly reason: EventReason;
  readonly message: string;
  /** By an earlier agent on this node. */
  readonly wasTold?: boolean;
}

function findTruths(
  decision: AddressDecision,
  service: LoadBalancer,
  facts: EventFacts,
): readonly Truth[] {
  return [
    ...tellAnnouncement(decision, service, facts),
    ...tellFailure(decision, facts),
    ...tellConflict(decision, facts),
    ...tellUnmarked(decision, facts),
    ...tellUnsafe(decision, facts),
    ...tellRefused(decision, service, facts),
    ...tellMoves(decision, service, facts),
  ];
}

function tellAnnouncement(
  decision: AddressDecision,
  service: LoadBalancer,
  facts: EventFacts,
): readonly Truth[] {
  const { grant } = service;
  const { ip, outcome } = decision;
  const { node, held, adopted } = facts;
  const slot = grant.slots.find((one) => one.ip === ip);
  // What a predecessor took stays told while it is being verified.
  if (outcome.kind === 'leave' && slot?.node === node) {
    return [{ ...announcingLocal(slot), wasTold: true }];
  }
  const mine = slotHeld(decision, facts);
  if (mine !== undefined) {
    const wasTold = slot?.node === node && slot.link === mine.link;
    return [
      { ...announcingLocal(mine), wasTold },
      ...(isHandedOver(decision) ? [] : tellTaken(ip, slot?.node, node)),
      ...tellDefaultRoute(ip, mine.link, facts),
      ...tellVainAffinity(decision, service, wasTold),
    ];
  }
  if (outcome.kind !== 'remote' || !held.has(addressKey(outcome.wanted))) return [];
  const message = `Announcing ${ip} from node ${node} interface ${outcome.wanted.link}`;
  return [
    { reason: 'AnnouncingNonLocal', message, wasTold: adopted.has(addressKey(outcome.wanted)) },
  ];
}

function announcingLocal({ node, ip, link }: Slot): Truth {
  const message = `Node ${node} announcing ${ip} on interface ${link}`;
  return { reason: 'AnnouncingLocal', message };
}

function tellTaken(ip: Ip, from: string | undefined, node: string): readonly Truth[] {
  if (from === undefined || from === node) return [];
  const message = `Node ${node} took announcement of ${ip} from node ${from}`;
  return [{ reason: 'AnnounceSlotSteal', message }];
}

/** Services that share an address have their endpoints in different places: it cannot follow them all. */
function tellVainAffinity(
  { ip, services }: AddressDecision,
  { request }: LoadBalancer,
  wasTold: boolean,
): readonly Truth[] {
  const isShared = services.length > 1 || request.sharingKey !== undefined;
  if (!request.prefersEndpoints || !isShared) return [];
  const message = `${requestAnnotations.nodeAffinity} has no effect on ${ip}, which is shared`;
  return [{ reason: 'ConfigurationWarning', message, wasTold }];
}

const familyNames = { ipv4: 'IPv4', ipv6: 'IPv6' } as const satisfies Record<Family, string>;

function tellDefaultRoute(ip: Ip, link: string, { node, survey }: EventFacts): readonly Truth[] {
  const family = familyOf(ip);
  const others = survey.kind === 'known' ? survey.passedOver[family].map(({ name }) => name) : [];
  if (others.length === 0) return [];
  const message =
    `Node ${node} has several default routes for ${familyNames[family]}: ` +
    `interface ${link} is used, having the lowest metric, and ${others.join(', ')} is not`;
  return [{ reason: 'DefaultRouteChosen', message }];
}

function tellFailure(decision: AddressDecision, facts: EventFacts): readonly Truth[] {
  const failure = findFailure(decision, facts);
  if (failure === undefined) return [];
  const { link, words } = failure;
  const where = `${decision.ip} on interface ${link}`;
  const message = `Node ${facts.node} could not announce ${where}: ${words}`;
  return [{ reason: 'AnnouncementFailed', message }];
}

/** It stays true while the node waits to try again: told once, however often that is. */
function findFailure(
  { ip, outcome }: AddressDecision,
  { failures, setbacks }: EventFacts,
): Pick<Setback, 'link' | 'words'> | undefined {
  const words = 'wanted' in outcome ? failures.get(addressKey(outcome.wanted)) : undefined;
  if ('wanted' in outcome && words !== undefined) return { link: outcome.wanted.link, words };
  return setbacks.get(ip);
}

function tellConflict({ ip, outcome }: AddressDecision, facts: EventFacts): readonly Truth[] {
  const conflict = facts.conflicts.get(ip);
  if (conflict === undefined) return [];
  const who = conflict.mac ?? 'another host';
  const end = outcome.kind === 'local' ? 'this node goes on announcing it' : 'it is not announced';
  return [
    {
      reason: 'AddressConflict',
      message: `Node ${facts.node} found ${ip} in use by ${who}, which is not of this cluster: ${end}`,
    },
  ];
}

function tellUnmarked({ ip, outcome }: AddressDecision, facts: EventFacts): readonly Truth[] {
  const { node, unmarked = [] } = facts;
  const end =
    outcome.kind === 'local'
      ? 'this node announces it'
      : 'two nodes reply for it as long as another one announces it';
  return unmarked
    .filter((copy) => copy.ip === ip)
    .map(({ link }) => ({
      reason: 'UnmarkedAddress',
      message:
        `Node ${node} has ${ip} on interface ${link}, where PureLB did not put it: ${end}. ` +
        `Remove it with: ip address del ${ip} dev ${link}`,
    }));
}

/** Every node refuses it; one says so. */
function tellRefused(
  { ip, reason }: AddressDecision,
  service: LoadBalancer,
  facts: EventFacts,
): readonly Truth[] {
  if (reason !== 'notGiven' || whoSpeaks(service, facts) !== facts.node) return [];
  return [{ reason: 'AddressRefused', message: `${ip} is not announced: ${refusal}` }];
}

function tellUnsafe(
  { ip, findings = [] }: AddressDecision,
  { node }: EventFacts,
): readonly Truth[] {
  return findings.flatMap((finding) => {
    if (finding.kind !== 'aggregationUnsafe') return [];
    const { prefix, what } = finding;
    const message =
      `Node ${node} announces ${ip} as a single address: ` +
      `${prefix} on its virtual interface would cut it off from ${what}`;
    return [{ reason: 'AggregationUnsafe', message }];
  });
}
