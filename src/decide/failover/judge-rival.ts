/**
 * Which of two members that both hold an address gives it up: after a stall, a partition, or a race. Both come to the
 * same answer where they know the same; where only one knows that it missed something, that one yields.
 */

import type { Ip } from '../../model/ip.ts';
import { rankNodes } from '../announcement/rank-nodes.ts';

export interface RivalFacts {
  readonly ip: Ip;
  readonly me: string;
  /** A member that answers for the address, and claims it. */
  readonly rival: string;
  /** This node may have missed something since it last verified its hold. */
  readonly isDoubtful: boolean;
  /** The member that the slot names. */
  readonly slot: string | undefined;
  /** The Lease of one of the two is not renewed: what that one knows of the slot may be old. */
  readonly isBlind: boolean;
  /** This node has heard nothing of the API server since it met the other: that one may have been named meanwhile. */
  readonly isUnaware: boolean;
  /** For how long the other has said that it holds it, in answer to this node's saying so. */
  readonly insistsMs: number;
}

/**
 * Who insists knows what this node does not know. Where neither knows, the worse in rank gives way before the better
 * one would.
 */
const insistsForMs = { worse: 200, better: 450 };

export type RivalVerdict = 'stay' | 'yield';

export function judgeRival(facts: RivalFacts): RivalVerdict {
  const { ip, me, rival, isDoubtful, slot, isBlind, isUnaware, insistsMs } = facts;
  if (isDoubtful) return 'yield';
  const [better] = rankNodes(ip, [me, rival]);
  const patienceMs = better === me ? insistsForMs.better : insistsForMs.worse;
  if (isUnaware && insistsMs >= patienceMs) return 'yield';
  const isNamed = slot === me || slot === rival;
  const first = !isBlind && isNamed ? slot : better;
  return first === me ? 'stay' : 'yield';
}
