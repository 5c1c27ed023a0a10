/** The data plane stands; neighbours, the cluster and people are told. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import type { Setbacks } from '../decide/announcement/give-way.ts';
import type { Identities } from '../decide/announcement/identities.ts';
import type { NodeSnapshot } from '../decide/announcement/node-snapshot.ts';
import type { Placing } from '../decide/announcement/place-addresses.ts';
import { findAffirmable, findDeniable } from '../decide/failover/deny-holding.ts';
import { addressKey, type HeldAddress, isHeldByUs, type WantedAddress } from '../model/address.ts';
import type { Ip } from '../model/ip.ts';
import { formatPrefix } from '../model/prefix.ts';
import type { AgentParts, AgentSetup } from './agent-parts.ts';
import type { AskedFor } from './announcer.ts';
import type { Sayings } from './sayings.ts';
import type { ClusterView, MachineView } from './snapshot.ts';

export interface PassResult {
  readonly cluster: ClusterView;
  readonly machine: Pick<MachineView, 'subnets' | 'survey'>;
  readonly snapshot: NodeSnapshot;
  readonly placing: Placing;
  /** What the kernel has now; undefined: not known. */
  readonly held: readonly HeldAddress[] | undefined;
  /** Local addresses that a copy without our mark serves in place of ours. */
  readonly serving: readonly WantedAddress[];
  readonly setbacks: Setbacks;
}

export interface TellingTimes {
  readonly announcing: number;
  readonly telling: number;
}

/** When there is more to tell though nothing else changes. */
export function tellEveryone(
  setup: AgentSetup,
  parts: AgentParts,
  { cluster, machine, snapshot, placing, held: addresses, serving, setbacks }: PassResult,
): TellingTimes {
  const { node, clock } = setup;
  const { announcer, teller, keeper, guard, memory, ear } = parts;
  const { virtualLink, inquiries } = parts;
  const { choice } = cluster;
  const ours = addresses?.filter(isHeldByUs);
  const held = new Set([...(ours ?? []), ...serving].map(addressKey));
  const { decisions } = placing;
  const round = {
    decisions,
    held,
    takenAt: (key: string) => keeper.takenAt(key),
    links: surveyed(snapshot),
    now: clock.monotonic(),
  };
  const heldIps = new Set([...(ours ?? []), ...serving].map(({ ip }) => ip));
  const { identities } = snapshot.wire;
  const strangers = memory.noteStrangers(heldIps, ear.claims, identities);
  const contested = decisions.filter(isContested).map(({ ip }) => ip);
  const defendAt = announcer.defend([...strangers, ...contested], round);
  const asked = { probes: ear.probes, identities, inquired: inquiries.asked, now: round.now };
  announcer.affirm(findAskers(decisions, asked), round);
  inquiries.attend(new Set(decisions.map(({ ip }) => ip)));
  inquiries.deny(findDeniable(decisions, ours && heldIps));
  const affirmable = findAffirmable(decisions, heldIps);
  inquiries.affirm(affirmable);
  const noticed = { owned: affirmable.sure, probes: ear.probes, identities, now: round.now };
  parts.notices.send(noticed, cluster.members);
  const announceAt = announcer.announce({ ...round, config: choice.config });
  const { failures, adopted } = keeper;
  const known = ours === undefined ? undefined : held;
  const ofParts = [guard, virtualLink].flatMap((part) => part.notices(choice, node));
  const notices = [...choice.notices, ...ofParts];
  const news = { snapshot, placing, failures, setbacks, adopted, choice: { ...choice, notices } };
  const tellAt = teller.tell({ ...news, held: known });
  const { nodes, offers } = cluster;
  teller.tellOffers({ ...snapshot, nodes, offers });
  tellOperators(setup, parts, { cluster, machine, snapshot, decisions, held });
  return { announcing: announceAt, telling: Math.min(defendAt, tellAt) };
}

interface OperatorNews extends Pick<PassResult, 'cluster' | 'machine' | 'snapshot'> {
  readonly decisions: Placing['decisions'];
  readonly held: ReadonlySet<string>;
}

/** Metrics and log. */
function tellOperators(
  { metrics, node }: AgentSetup,
  { membership, failover, logs }: AgentParts,
  { cluster, machine, snapshot, decisions, held }: OperatorNews,
): void {
  metrics.noteConfig(cluster.choice);
  metrics.noteDecisions(decisions, held, node);
  metrics.noteMembership(countMembership(cluster, node), membership.isHealthy);
  metrics.noteWatched(failover.watching);
  logs.configuration.note(cluster.choice, machine.subnets?.ready);
  logs.decisions.note(decisions);
  logs.decisions.noteUnmarked(snapshot.unmarked);
  const { survey } = machine;
  if (survey.kind === 'known') logs.arp.note(survey.links.ipv4.map(({ link }) => link.name));
}

/** A stranger was found to answer for what this node holds. */
function isContested({ outcome, conflict }: AddressDecision): boolean {
  return outcome.kind === 'local' && conflict !== undefined;
}

interface Asked {
  readonly probes: Sayings['times'];
  readonly identities: Identities;
  /** By members that asked this node by itself. */
  readonly inquired: ReadonlyMap<Ip, number>;
  readonly now: number;
}

/** Addresses that a member asked for, or holds too: it is to hear at once who holds them. */
export function findAskers(
  decisions: readonly AddressDecision[],
  { probes, identities, inquired, now }: Asked,
): readonly AskedFor[] {
  return decisions.flatMap(({ ip, defends, handover }): AskedFor[] => {
    if (defends === true) return [{ ip, at: now }];
    // Its successor is to be heard, and not the one that gives it away.
    if (handover?.role === 'holder') return [];
    const times = [...(probes.get(ip) ?? [])].filter(([mac]) => identities.has(mac));
    const at = Math.max(...times.map(([, time]) => time), inquired.get(ip) ?? -Infinity);
    return at === -Infinity ? [] : [{ ip, at }];
  });
}

/** The links that local addresses may be on. */
export function surveyed({ survey }: Pick<MachineView, 'survey'>) {
  if (survey.kind === 'unknown') return [];
  return [...survey.links.ipv4, ...survey.links.ipv6].map(({ link }) => link);
}

/** And those with addresses of ours that no configuration selects any more: these are being handed over. */
export function attended({ survey, kernel }: Pick<MachineView, 'survey' | 'kernel'>) {
  const names = new Set(kernel.addresses?.filter(({ isOurs }) => isOurs).map(({ link }) => link));
  return [...surveyed({ survey }), ...(kernel.links ?? []).filter(({ name }) => names.has(name))];
}

function countMembership({ members }: ClusterView, node: string) {
  const mine = members.find((member) => member.node === node);
  return {
    members: members.length,
    subnets: new Set(members.flatMap(({ subnets }) => subnets.map(formatPrefix))).size,
    localSubnets: mine?.subnets.length ?? 0,
  };
}
