/**
 * What this node writes on Services: who announces their addresses. Each node writes the slots of what it holds, and
 * takes out its own where nobody else will; written only on change, and after the data plane.
 */

import { addressKey } from '../../model/address.ts';
import { encodeMoves, type Move } from '../../model/address-lists.ts';
import {
  resultAnnotations as names,
  requestAnnotations as requests,
} from '../../model/annotations.ts';
import { claimSlot, encodeAnnouncing, type Slot } from '../../model/announcing.ts';
import { type Family, familyOf, type Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { PlacementReason } from '../../model/placement-reasons.ts';
import type { AddressDecision } from './address-decision.ts';
import { slotKey } from './sweep-slots.ts';

export interface SlotFacts {
  readonly node: string;
  readonly loadBalancers: readonly LoadBalancer[];
  readonly decisions: readonly AddressDecision[];
  /** What the kernel has now, by `addressKey`. */
  readonly held: Pick<ReadonlySet<string>, 'has'>;
  /** Slots of others that are to go, as `slotKey` has them. */
  readonly swept: ReadonlySet<string>;
  /** Services whose annotations have slots of addresses that are not theirs, for this node to take out. */
  readonly littered: ReadonlySet<string>;
  /** Addresses of this node whose slot is left to another, by `findOverruled`. */
  readonly overruled: ReadonlySet<Ip>;
}

export interface SlotPlan {
  readonly patches: readonly SlotPatch[];
  /** By Service, where they change: its slots once that is written. */
  readonly slots: ReadonlyMap<string, readonly Slot[]>;
}

export interface SlotPatch {
  readonly namespace: string;
  readonly name: string;
  /** For a merge patch. */
  readonly body: {
    readonly metadata: {
      readonly uid: string;
      /** Where others may be writing to the same annotation. */
      readonly resourceVersion?: string;
      readonly annotations: Readonly<Record<string, string | null>>;
    };
  };
}

export function planSlots(facts: SlotFacts): SlotPlan {
  const decisions = new Map(facts.decisions.map((decision) => [decision.ip, decision]));
  const plans = facts.loadBalancers
    .filter(({ identity }) => !identity.isDeleting)
    .flatMap((service) => planService(service, decisions, facts) ?? []);
  return {
    patches: plans.map(({ patch }) => patch),
    slots: new Map(plans.map(({ service, after }) => [service.key, after])),
  };
}

/** Where this node has the address on a link of its own, by the kernel's word, and means to keep it. */
export function slotHeld(
  { ip, outcome, reason }: AddressDecision,
  { node, held }: Pick<SlotFacts, 'node' | 'held'>,
): Slot | undefined {
  // Who takes it over writes its own, and is not written over.
  if (reason === 'handingOver') return undefined;
  if (outcome.kind !== 'local' || !held.has(addressKey(outcome.wanted))) return undefined;
  return { node, link: outcome.wanted.link, ip };
}

type Decisions = ReadonlyMap<Ip, AddressDecision>;

function planService(service: LoadBalancer, decisions: Decisions, facts: SlotFacts) {
  const { slots: before, strayFamilies } = service.grant;
  const after = planServiceSlots(service, decisions, facts);
  const changes = [
    ...changedSlots(before, after, facts.littered.has(service.key) ? strayFamilies : []),
    ...changed(
      names.addedTo,
      service.grant.addedTo ?? '',
      planAddedTo(service, after, decisions, facts),
    ),
    ...changedMoves(service, after, facts),
  ];
  if (changes.length === 0) return undefined;
  const annotations = Object.fromEntries(changes);
  const values = Object.values(annotations);
  const { namespace, name, uid, resourceVersion } = service.identity;
  // A plain claim of a Service's only address of its family overwrites nobody else's.
  const mayLoseOthers =
    values.includes(null) || hasSeveral(service) || requests.move in annotations;
  const precondition = mayLoseOthers ? { resourceVersion } : {};
  const patch = { namespace, name, body: { metadata: { uid, ...precondition, annotations } } };
  return { service, after, patch };
}

type Changes = readonly [string, string | null][];

/** Almost always nothing changes: that is seen without writing anything out. `unclean`: there is more to take out. */
function changedSlots(
  before: readonly Slot[],
  after: readonly Slot[],
  unclean: readonly Family[],
): Changes {
  const isIn = (slot: Slot) => before.some((one) => isSameSlot(one, slot));
  if (before.length === after.length && after.every(isIn) && unclean.length === 0) return [];
  return (['ipv4', 'ipv6'] as const).flatMap((family): Changes => {
    const [was, is] = [encodeOf(family, before), encodeOf(family, after)];
    if (was === is && !unclean.includes(family)) return [];
    return [[slotNames[family], is === '' ? null : is]];
  });
}

const slotNames = { ipv4: names.announcingIpv4, ipv6: names.announcingIpv6 } as const;

function isSameSlot(left: Slot, right: Slot): boolean {
  return left.ip === right.ip && left.node === right.node && left.link === right.link;
}

/** A wish is carried out, once, when the node that was asked for holds the address; that one takes it off. */
function changedMoves(
  { request }: LoadBalancer,
  after: readonly Slot[],
  { node }: SlotFacts,
): Changes {
  const { moves } = request;
  if (moves.length === 0) return [];
  const isDone = (move: Move) =>
    move.node === node && after.some((slot) => slot.ip === move.ip && slot.node === node);
  const open = moves.filter((move) => !isDone(move));
  return changed(requests.move, encodeMoves(moves), encodeMoves(open));
}

function planServiceSlots(
  service: LoadBalancer,
  decisions: Decisions,
  facts: SlotFacts,
): readonly Slot[] {
  const { ingress, slots } = service.grant;
  const kept = slots.filter(
    (slot) =>
      !isSwept(service, slot, facts) &&
      (slot.node !== facts.node || keepsSlot(service, decisions.get(slot.ip))),
  );
  const mine = ingress
    .flatMap((ip) => decisions.get(ip) ?? [])
    .filter((decision) => isOf(decision, service) && !facts.overruled.has(decision.ip))
    .flatMap((decision) => slotHeld(decision, facts) ?? []);
  return mine.reduce<readonly Slot[]>((current, slot) => claimSlot(current, slot, ingress), kept);
}

function isSwept(service: LoadBalancer, slot: Slot, { swept }: SlotFacts): boolean {
  return swept.size > 0 && swept.has(slotKey(service, slot));
}

/** A slot of ours that is no longer true stays only until another node, which is known, writes its own. */
function keepsSlot(service: LoadBalancer, decision: AddressDecision | undefined): boolean {
  if (decision === undefined || !isOf(decision, service)) return false;
  return decision.outcome.kind === 'leave' || awaitsOther.has(decision.reason);
}

const awaitsOther: ReadonlySet<PlacementReason> = new Set([
  'lostElection',
  'heldByMember',
  'yielded',
  'askingTheWire',
  'awaitingForwarding',
  'handingOver',
  'handedOver',
]);

/** v1's note of the winner: of the Service's first address, where its group is one of v1's kind. */
function planAddedTo(
  { grant }: LoadBalancer,
  after: readonly Slot[],
  decisions: Decisions,
  facts: SlotFacts,
): string {
  const { addedTo = '', ingress } = grant;
  const [first] = ingress;
  const decision = first === undefined ? undefined : decisions.get(first);
  const mine = decision && slotHeld(decision, facts);
  if (mine !== undefined && decision?.mode === 'auto') return `${mine.node}/${mine.link}`;
  const isOrphaned = !after.some(({ ip }) => ip === first);
  const former = grant.slots.find(({ ip }) => ip === first);
  const isStale =
    addedTo.startsWith(`${facts.node}/`) || addedTo === `${former?.node}/${former?.link}`;
  return isOrphaned && isStale ? '' : addedTo;
}

/** The annotation's new value; null removes it. */
function changed(name: string, before: string, after: string): Changes {
  return before === after ? [] : [[name, after === '' ? null : after]];
}

function encodeOf(family: Family, slots: readonly Slot[]): string {
  return encodeAnnouncing(slots.filter(({ ip }) => familyOf(ip) === family));
}

function isOf({ services }: AddressDecision, { key }: LoadBalancer): boolean {
  return services.includes(key);
}

function hasSeveral({ grant }: LoadBalancer): boolean {
  const families = grant.ingress.map(familyOf);
  return new Set(families).size < families.length;
}
