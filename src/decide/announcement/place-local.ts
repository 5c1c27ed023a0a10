/** Local addresses: on one node of their subnet, the one elected, after the wire has been asked. */

import type { LocalConfig } from '../../model/agent-config.ts';
import { familyOf } from '../../model/ip.ts';
import { type Ending, findEnding } from '../failover/end-of-lifetime.ts';
import { findAsked } from '../failover/find-move.ts';
import { type OfferStep, takeOffered } from '../failover/take-offered.ts';
import { type AddressCase, absent, leave, type Verdict } from './address-decision.ts';
import { askWire, skipsDad } from './ask-wire.ts';
import { awaitForwarding } from './await-forwarding.ts';
import { findRest } from './conflict-rest.ts';
import { type Election, elect, type Incumbent } from './elect.ts';
import type { LinkFinding } from './find-link.ts';
import { holdOn, lookBack } from './hold-on.ts';
import type { Clearance, WireFinding } from './look-before-add.ts';
import type { NodeSnapshot } from './node-snapshot.ts';
import { findPreference } from './service-needs.ts';
import { findCopyOwner } from './unmarked-copies.ts';
import { whoHolds } from './who-holds.ts';

type FoundLink = LinkFinding & { readonly kind: 'link' };

export function placeLocal(
  address: AddressCase,
  snapshot: NodeSnapshot,
  config: LocalConfig,
  found: FoundLink,
): Verdict {
  const preference = findPreference(address, snapshot);
  if (preference === undefined) return leave('endpointsUnknown');
  const incumbent = findIncumbent(address, snapshot);
  const placement = address.terms.pool?.placement ?? 'Sticky';
  const silent = findSilent(address, snapshot, found);
  const asked = findAsked(address);
  const ends = findEnding(address.ip, snapshot.lastWords, snapshot.now);
  const { ending } = ends;
  const passedOver = findPassed(address, snapshot, incumbent);
  const election = elect(snapshot.electorate, {
    ip: address.ip,
    placement,
    incumbent,
    silent,
    passedOver,
    asked,
    ending,
    copyOn: findCopyOwner(address.ip, snapshot.copies),
    ...preference,
  });
  const elected = { config, found, election, incumbent, ends };
  const step = takeIfOffered(address, snapshot, elected);
  const offered = followOffer(step, address, elected, snapshot.now);
  if (offered !== undefined) {
    const { outcome, reason } = offered;
    const isYielded = outcome.kind === 'absent' && reason === 'heldByMember';
    const handed = { ...election, winner: snapshot.node, because: 'handed' } as const;
    return { ...offered, election: isYielded ? election : handed };
  }
  return { ...decideAsElected(address, snapshot, elected), election };
}

function takeIfOffered(
  address: AddressCase,
  snapshot: NodeSnapshot,
  { found, election, config }: Elected,
): OfferStep {
  const { ip, slot } = address;
  const { node, wire, handovers, now } = snapshot;
  const mine = election.candidates.find((candidate) => candidate.node === node);
  return takeOffered({
    ip,
    link: found.link.name,
    offeredBy: handovers.offered.get(ip),
    before: handovers.memory.get(ip),
    isHeld: isInMyKernel(address, snapshot),
    isEligible: mine?.verdict === 'eligible',
    isSlotOurs: slot?.node === node,
    clearance: (handedBy) =>
      askWire(address, snapshot, { link: found.link.name, election, handedBy }),
    look: wire.looks.get(ip),
    identities: wire.identities,
    timeoutMs: config.failover.handoverTimeoutMs,
    now,
  });
}

/** Undefined: what was elected counts. */
function followOffer(
  step: OfferStep,
  address: AddressCase,
  { config, found }: Elected,
  verifiedAt: number,
): Verdict | undefined {
  if (step.kind === 'none') return undefined;
  if (step.kind === 'yield') return absent('heldByMember');
  const { asks, wakeAt } = step;
  const further = { ...(asks.length > 0 && { asks }), wakeAt };
  if (step.kind === 'ask') return { ...absent('askingTheWire'), ...further };
  const { state } = step;
  // The holder answers, so that the kernel's detection of duplicates would find one.
  const placed = { ...here(address, config, found, { noDad: true }), verifiedAt };
  if (state.role === 'settled') return { ...placed, handover: state };
  const taking = { ...placed, ...further, reason: 'takingOver', handover: state } as const;
  return withFindings(taking, step.findings ?? []);
}

/** This node itself is never silent to itself. */
function findSilent(
  { ip }: AddressCase,
  { wire, node }: NodeSnapshot,
  { link }: FoundLink,
): ReadonlySet<string> {
  const silent = new Set([...(wire.silent.get(link.name) ?? []), ...(wire.orphans.get(ip) ?? [])]);
  silent.delete(node);
  return silent;
}

/** Who has it, or is said to, has come after all. */
function findPassed(
  { ip, slot }: AddressCase,
  { wire, node }: NodeSnapshot,
  incumbent: Incumbent | undefined,
): ReadonlySet<string> | undefined {
  const passed = wire.passedOver.get(ip);
  const come = new Set([node, slot?.node, incumbent?.node]);
  return passed && new Set([...passed].filter((name) => !come.has(name)));
}

interface Elected {
  readonly config: LocalConfig;
  readonly found: FoundLink;
  readonly election: Election;
  readonly incumbent: Incumbent | undefined;
  readonly ends: Ending;
}

function decideAsElected(
  address: AddressCase,
  snapshot: NodeSnapshot,
  { config, found, election, incumbent, ends }: Elected,
): Verdict {
  if (election.winner === undefined) return absent('noEligibleNodes');
  if (election.winner !== snapshot.node) {
    // A holder that was heard is to be asked again when that is too long ago.
    const wakeAt = Math.min(incumbent?.until ?? Infinity, ends.wakeAt);
    const lost = { ...absent('lostElection'), ...(wakeAt < Infinity && { wakeAt }) };
    const placed = here(address, config, found);
    const hold = { link: found.link.name, election, placed, lost };
    return lookBack(address, snapshot, hold) ?? lost;
  }
  const duplicate = findDuplicate(address);
  if (duplicate !== undefined) {
    return { ...absent('addressConflict'), conflict: { mac: undefined, link: duplicate.link } };
  }
  if (incumbent?.evidence === 'kernel') {
    const placed = here(address, config, found);
    return holdOn(address, snapshot, { link: found.link.name, election, placed });
  }
  const rest = findRest(address, snapshot);
  if (rest !== undefined) return { ...absent(rest.reason), wakeAt: rest.wakeAt };
  // Silence proves nothing on a link that has just lost its carrier; when it is back there is another pass.
  if (!found.link.hasCarrier) return absent('linkNotReady');
  const handedBy = findEndingHolder(incumbent, ends);
  const clearance = askWire(address, snapshot, { link: found.link.name, election, handedBy });
  // A holder that is about to drop it still answers: the kernel's detection would find a duplicate.
  const placed = here(address, config, found, handedBy === undefined ? {} : { noDad: true });
  const verifiedAt = findVerified(address, snapshot);
  const verdict = followClearance(clearance, { ...placed, verifiedAt }, found);
  return awaitForwarding(address, snapshot, { verdict, incumbent });
}

/** What was looked at in advance was verified then, and not now. */
function findVerified({ ip }: AddressCase, { wire, now }: NodeSnapshot): number {
  const look = wire.looks.get(ip);
  return look?.isAhead === true ? (look.sentAt.at(-1) ?? now) : now;
}

/** The member that has it, if it will drop it in a moment: it is taken over while it still answers. */
function findEndingHolder(
  incumbent: Incumbent | undefined,
  { ending }: Ending,
): string | undefined {
  return incumbent !== undefined && ending.has(incumbent.node) ? incumbent.node : undefined;
}

function findIncumbent(address: AddressCase, snapshot: NodeSnapshot): Incumbent | undefined {
  const { ip, slot } = address;
  const { wire, node, now } = snapshot;
  return whoHolds({
    me: node,
    isInMyKernel: isInMyKernel(address, snapshot),
    look: wire.looks.get(ip),
    slot,
    claims: wire.claims.get(ip) ?? new Set(),
    denied: wire.denied.get(ip) ?? new Map(),
    identities: wire.identities,
    now,
  });
}

function isInMyKernel(address: AddressCase, snapshot: NodeSnapshot): boolean {
  const { config } = snapshot;
  const isMarked = address.held.some(
    ({ link, hasFailedDad }) => !hasFailedDad && link !== config?.dummyLink,
  );
  return isMarked || isAdopted(address, snapshot);
}

/** A copy without our mark counts once this node owns the address, or takes it over: before, another node may have it. */
function isAdopted(
  { ip, slot }: AddressCase,
  { node, handovers, unmarked }: NodeSnapshot,
): boolean {
  if (!unmarked.some((copy) => copy.ip === ip)) return false;
  return slot?.node === node || handovers.memory.has(ip);
}

/** A permanent address stays in the kernel when detection failed, of no use to anyone. */
function findDuplicate({ held }: AddressCase) {
  return held.find(({ hasFailedDad }) => hasFailedDad);
}

function followClearance(clearance: Clearance, placed: Verdict, { link }: FoundLink): Verdict {
  switch (clearance.kind) {
    case 'add':
      return withFindings(placed, clearance.findings);
    case 'ask':
      return { ...absent('askingTheWire'), asks: clearance.asks };
    case 'wait':
      return { ...absent('askingTheWire'), wakeAt: clearance.until };
    case 'handed':
      return withFindings({ ...placed, reason: 'succeeding' }, clearance.findings);
    case 'heldByMember':
      return { ...absent('heldByMember'), wakeAt: clearance.until };
    case 'conflict':
      return { ...absent('addressConflict'), conflict: { mac: clearance.mac, link: link.name } };
    default:
      return clearance satisfies never;
  }
}

function withFindings(placed: Verdict, findings: readonly WireFinding[]): Verdict {
  return findings.length > 0 ? { ...placed, findings } : placed;
}

function here(
  address: AddressCase,
  { localLifetime }: LocalConfig,
  found: FoundLink,
  more: { readonly noDad?: boolean } = {},
): Verdict {
  const { ip, terms } = address;
  const isIpv6 = familyOf(ip) === 'ipv6';
  return {
    outcome: {
      kind: 'local',
      wanted: {
        link: found.link.name,
        ip,
        prefixLength: found.prefixLength,
        validSeconds: localLifetime.validSeconds,
        // IPv6 knows no secondary addresses: a deprecated one is never the source of the node's own traffic.
        preferredSeconds: isIpv6 ? 0 : localLifetime.preferredSeconds,
        noPrefixRoute: localLifetime.noPrefixRoute,
        noDad: skipsDad(address) || terms.pool?.conflictCheck.keepsKernelDad !== true,
        ...more,
      },
    },
    reason: 'electionWon',
  };
}
