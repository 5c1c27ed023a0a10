/**
 * Whether it is proven that another member has an address that this node has, too. That it answers is not enough, whatever
 * the slot says: the slot may be late, and with IPVS everyone answers. A rival announces what it holds when it is asked
 * for it, or hears that another holds it; but anybody can send frames in a member's name. A member that signs has to say
 * it itself.
 *
 * One that signs and says nothing for as long as it is asked has no agent that could. That proves nothing either way: its
 * kernel may hold the address all the same. So a node that has a reason to doubt itself believes the frames then, and one
 * that has none does not.
 */

import type { Ip } from '../../model/ip.ts';
import type { WireView } from '../announcement/node-snapshot.ts';
import { inquiryMs } from './plan-inquiries.ts';

export interface Meeting {
  readonly ip: Ip;
  readonly rival: string;
  /** This node has a reason to yield to whoever holds it. */
  readonly isWeak: boolean;
}

type Said = Pick<WireView, 'announced' | 'signers' | 'affirmed' | 'admitted' | 'unanswered'>;

/** `awaited`: it was asked, and may still answer. */
export type Proof = 'given' | 'awaited' | 'missing';

/** Long after the other has heard that this node has it too, and said that it stays. */
const saidMs = 3000;

/** `now` in ms on the monotonic clock. */
export function proveRival({ ip, rival, isWeak }: Meeting, wire: Said, now: number): Proof {
  if (!wire.signers.has(rival)) return isWeak || isSaid(ip, rival, wire, now) ? 'given' : 'missing';
  const said = (isWeak ? wire.admitted : wire.affirmed).get(ip)?.get(rival) ?? -Infinity;
  if (now - said < saidMs) return 'given';
  if (!isWeak) return 'missing';
  const since = wire.unanswered.get(ip)?.get(rival) ?? Infinity;
  return now - since >= inquiryMs ? 'given' : 'awaited';
}

function isSaid(ip: Ip, rival: string, { announced }: Said, now: number): boolean {
  const said = announced.get(ip);
  return said?.node === rival && now - said.at < saidMs;
}
