/** What people are told of moves: that one begins, and why, or why one that they asked for does not. */

import type { Move } from '../../model/address-lists.ts';
import { requestAnnotations } from '../../model/annotations.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { candidateVerdicts, moveCauses } from '../../model/placement-reasons.ts';
import type { AddressDecision } from '../announcement/address-decision.ts';
import type { Electorate } from '../announcement/electorate.ts';

export interface MoveTeller {
  readonly node: string;
  readonly electorate?: Pick<Electorate, 'nodeNames'>;
}

export interface MoveNews {
  readonly reason: 'HandingOver' | 'MoveRefused';
  readonly message: string;
}

/** Its former holder gave it to this node: the slot that names the former one is not stolen. */
export function isHandedOver({ handover }: AddressDecision): boolean {
  return handover?.role === 'successor' || handover?.role === 'settled';
}

/** By the node that holds the address: one tells. */
export function tellMoves(
  decision: AddressDecision,
  service: LoadBalancer,
  facts: MoveTeller,
): readonly MoveNews[] {
  const { ip, outcome } = decision;
  if (outcome.kind !== 'local') return [];
  return [
    ...tellHanding(decision, facts),
    ...service.request.moves.flatMap((move) => {
      if (move.ip === ip) return refuseIf(findObstacle(move, decision, facts), move);
      // The holder of its first address speaks for what is none of its addresses.
      const isNone = ip === service.grant.ingress[0] && !service.grant.ingress.includes(move.ip);
      return isNone ? refuseIf('it is not an address of this Service', move) : [];
    }),
  ];
}

function tellHanding({ ip, handover }: AddressDecision, { node }: MoveTeller): readonly MoveNews[] {
  if (handover?.role !== 'holder' || handover.to === undefined) return [];
  const why = moveCauses[handover.cause];
  const message = `Node ${node} hands ${ip} over to node ${handover.to}: ${why}`;
  return [{ reason: 'HandingOver', message }];
}

function refuseIf(obstacle: string | undefined, { ip, node }: Move): readonly MoveNews[] {
  if (obstacle === undefined) return [];
  const message = `${requestAnnotations.move} cannot move ${ip} to node ${node}: ${obstacle}`;
  return [{ reason: 'MoveRefused', message }];
}

function findObstacle(
  { node }: Move,
  { election, reason }: AddressDecision,
  { node: me, electorate }: MoveTeller,
): string | undefined {
  if (election === undefined || node === me || election.winner === node) return undefined;
  const candidate = election.candidates.find((each) => each.node === node);
  if (candidate === undefined) {
    const isNone = electorate?.nodeNames?.has(node) === false;
    return isNone ? 'there is no node of this name' : 'no agent runs on it';
  }
  if (candidate.verdict !== 'eligible') return candidateVerdicts[candidate.verdict];
  // Others elected: the address prefers or requires other nodes, or goes by hash.
  return reason === 'takingOver' ? undefined : 'its group or its Service decides where it is';
}
