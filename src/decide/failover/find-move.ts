/** Whether an address that this node holds belongs on another, why, and who may take it. */

import type { CandidateVerdict, MoveCause } from '../../model/placement-reasons.ts';
import type { AddressCase } from '../announcement/address-decision.ts';
import type { Candidate, Election } from '../announcement/elect.ts';
import type { MoveWish } from './hand-over.ts';

/** What bars this node, where it can serve on until another has taken over. */
const causes: Readonly<Partial<Record<CandidateVerdict, MoveCause>>> = {
  excludedByLabel: 'excluded',
  beingRemoved: 'removed',
  nodeGone: 'removed',
  shuttingDown: 'shutdown',
  otherSubnet: 'configuration',
  noEndpoints: 'endpoints',
};

/**
 * `plain`: by silence, as if this node had died, since the two do not speak the same protocol, or since it cannot serve
 * on anyway.
 */
export function findMove(
  { winner, because, candidates }: Election,
  me: string,
  peers: ReadonlySet<string>,
): MoveWish | 'plain' | undefined {
  if (winner === undefined || winner === me) return undefined;
  const mine = candidates.find(({ node }) => node === me);
  const isAble = mine?.verdict === 'eligible';
  const cause = isAble ? findReason(mine, candidates, winner, because) : causeOf(mine);
  if (cause === undefined || !peers.has(winner)) return 'plain';
  // Who may hold it itself moves it to where it belongs, or nowhere.
  if (isAble) return { cause, successors: [winner] };
  const others = candidates.filter(
    ({ node, verdict }) => verdict === 'eligible' && node !== winner,
  );
  const able = others.filter(({ node }) => node !== me && peers.has(node));
  return { cause, successors: [winner, ...able.map(({ node }) => node)] };
}

function causeOf(mine: Candidate | undefined): MoveCause | undefined {
  return mine === undefined ? undefined : causes[mine.verdict];
}

function findReason(
  mine: Candidate,
  candidates: readonly Candidate[],
  winner: string,
  because: Election['because'],
): MoveCause {
  if (because === 'asked') return 'move';
  if (because === 'unmarked') return 'unmarked';
  const isPreferred = candidates.some(({ node, isPreferred: is }) => is && node === winner);
  return isPreferred && !mine.isPreferred ? 'affinity' : 'hash';
}

/** Where people want the address to be; where Services that share it disagree, the first of them counts. */
export function findAsked({
  ip,
  services,
}: Pick<AddressCase, 'ip' | 'services'>): string | undefined {
  const moves = services.flatMap(({ request }) => request.moves);
  return moves.find((move) => move.ip === ip)?.node;
}
