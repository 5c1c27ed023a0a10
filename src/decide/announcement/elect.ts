/**
 * Who holds an address: eligible members, of those the preferred ones, of those the one that holds it already, else the
 * one with the lowest hash. Each address is elected by itself: families are independent, and Services that share an
 * address agree without speaking. All nodes come to the same winner from the same facts.
 */

import type { Ip } from '../../model/ip.ts';
import type { CandidateVerdict, ElectionReason } from '../../model/placement-reasons.ts';
import type { Placement } from '../../model/pool.ts';
import { type Elector, type Electorate, isWithin, type Point, pointOf } from './electorate.ts';
import { rankNodes } from './rank-nodes.ts';

export interface Contest {
  readonly ip: Ip;
  readonly placement: Placement;
  readonly incumbent?: Incumbent | undefined;
  /** Asked first; if none of them is eligible, all are. */
  readonly preferred?: ReadonlySet<string> | undefined;
  /** Members that do not answer on the network, or not for this address. */
  readonly silent?: ReadonlySet<string> | undefined;
  /** Members that were to take it, and did not: others first, if there are any. */
  readonly passedOver?: ReadonlySet<string> | undefined;
  /** Members that are about to drop it, having lost their agent. */
  readonly ending?: ReadonlySet<string> | undefined;
  /** A copy is there that PureLB did not put there, and cannot remove. */
  readonly copyOn?: string | undefined;
  /** Somebody wants it there. */
  readonly asked?: string | undefined;
  /** No others are eligible, unless none at all is left in it: then nobody serves anyway, and nothing moves. */
  readonly required?: ReadonlySet<string> | undefined;
  /** Count as required when none of those is eligible: they could serve, but only just since. */
  readonly spare?: ReadonlySet<string> | undefined;
}

export interface Incumbent {
  readonly node: string;
  /** How we know; what a kernel or the wire says is more than what an annotation says. */
  readonly evidence: 'kernel' | 'wire' | 'slot';
  /** What the wire said is good until then, in ms on the monotonic clock. */
  readonly until?: number;
}

export interface Election {
  readonly winner: string | undefined;
  readonly because: ElectionReason;
  /** Every member, best hash first: the order in which they take over. */
  readonly candidates: readonly Candidate[];
  /** Some were preferred, and none of them is eligible. */
  readonly isFallback: boolean;
  /** The member that has it and is about to drop it, having lost its agent. */
  readonly ending?: string;
}

export interface Candidate {
  readonly node: string;
  readonly verdict: CandidateVerdict;
  readonly isPreferred: boolean;
}

export function elect(electorate: Electorate, contest: Contest): Election {
  const verdicts = passOver(judgeAll(electorate, contest), contest.passedOver);
  const preferred = contest.preferred ?? new Set();
  const candidates = rankNodes(contest.ip, [...verdicts.keys()]).map((node) => ({
    node,
    verdict: verdicts.get(node) ?? 'otherSubnet',
    isPreferred: preferred.has(node),
  }));
  const eligible = candidates.filter(({ verdict }) => verdict === 'eligible');
  const first = eligible.filter(({ isPreferred }) => isPreferred);
  const pool = first.length > 0 ? first : eligible;
  return {
    ...chooseAmong(pool, verdicts, contest),
    candidates,
    isFallback: preferred.size > 0 && eligible.length > 0 && first.length === 0,
    ...(isEnding(contest) && contest.incumbent && { ending: contest.incumbent.node }),
  };
}

function chooseAmong(
  pool: readonly Candidate[],
  verdicts: ReadonlyMap<string, CandidateVerdict>,
  { incumbent, placement, asked, ending, copyOn }: Contest,
): Pick<Election, 'winner' | 'because'> {
  const [best] = pool;
  if (incumbent !== undefined && !isEnding({ incumbent, ending }) && staysOn(incumbent, verdicts)) {
    return { winner: incumbent.node, because: 'incumbent' };
  }
  if (pool.some(({ node }) => node === copyOn)) return { winner: copyOn, because: 'unmarked' };
  if (isGranted(asked, pool, placement)) return { winner: asked, because: 'asked' };
  if (placement === 'Sticky' && pool.some(({ node }) => node === incumbent?.node)) {
    return { winner: incumbent?.node, because: 'incumbent' };
  }
  if (best === undefined) return { winner: undefined, because: 'nobody' };
  return { winner: best.node, because: 'hash' };
}

function isEnding({ incumbent, ending }: Pick<Contest, 'incumbent' | 'ending'>): boolean {
  return incumbent !== undefined && ending?.has(incumbent.node) === true;
}

/** Where the hash decides, it would decide against every other wish right after. */
export function isGranted(
  asked: string | undefined,
  pool: readonly Candidate[],
  placement: Placement,
): boolean {
  return placement === 'Sticky' && pool.some(({ node }) => node === asked);
}

/**
 * A member that is known to answer, but whose Lease is not there: its agent is dead or cannot reach the API server,
 * while its kernel serves on. Taking its address would give it two holders.
 */
function staysOn(
  { node, evidence }: Incumbent,
  verdicts: ReadonlyMap<string, CandidateVerdict>,
): boolean {
  const verdict = verdicts.get(node);
  return evidence !== 'slot' && (verdict === 'leaseExpired' || verdict === 'noLease');
}

function judgeAll(
  { electors }: Electorate,
  { ip, required, spare, silent }: Contest,
): ReadonlyMap<string, CandidateVerdict> {
  const point = pointOf(ip);
  const verdicts = new Map(
    electors.map((elector) => {
      const verdict = judge(elector, ip, point);
      const isSilent = verdict !== 'otherSubnet' && silent?.has(elector.node) === true;
      return [elector.node, isSilent ? 'silent' : verdict];
    }),
  );
  const able = [...verdicts].filter(([, verdict]) => verdict === 'eligible');
  const served = [required, spare].find((nodes) => able.some(([node]) => nodes?.has(node)));
  if (served === undefined) return verdicts;
  const lacking = able.filter(([node]) => !served.has(node));
  return new Map([...verdicts, ...lacking.map(([node]) => [node, 'noEndpoints'] as const)]);
}

function passOver(
  verdicts: ReadonlyMap<string, CandidateVerdict>,
  passed: ReadonlySet<string> | undefined,
): ReadonlyMap<string, CandidateVerdict> {
  if (passed === undefined || passed.size === 0) return verdicts;
  const able = [...verdicts].filter(([, verdict]) => verdict === 'eligible');
  if (able.every(([node]) => passed.has(node))) return verdicts;
  const late = able.filter(([node]) => passed.has(node));
  return new Map([...verdicts, ...late.map(([node]) => [node, 'passedOver'] as const)]);
}

function judge(elector: Elector, ip: Ip, point: Point): CandidateVerdict {
  const { subnets, unreadySubnets, bar, failing } = elector;
  if (!isWithin(subnets, point)) {
    return isWithin(unreadySubnets, point) ? 'linkNotReady' : 'otherSubnet';
  }
  return bar ?? (failing.has(ip) ? 'addFailed' : 'eligible');
}
