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
}

export type RivalVerdict = 'stay' | 'yield';

export function judgeRival(facts: RivalFacts): RivalVerdict {
  const { ip, me, rival, isDoubtful, slot, isBlind } = facts;
  if (isDoubtful) return 'yield';
  const isNamed = slot === me || slot === rival;
  const [first] = !isBlind && isNamed ? [slot] : rankNodes(ip, [me, rival]);
  return first === me ? 'stay' : 'yield';
}
