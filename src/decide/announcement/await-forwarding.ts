/**
 * An address that comes into use for the first time waits for a moment until kube-proxy forwards what arrives at it:
 * before that, the node itself would refuse its clients. Nobody waits where someone has had the address, so that
 * failovers and planned moves take no longer.
 */

import type { Ip } from '../../model/ip.ts';
import { type AddressCase, absent, type Verdict } from './address-decision.ts';
import type { Incumbent } from './elect.ts';
import type { NodeSnapshot } from './node-snapshot.ts';
import { openingsAt } from './plan-guard.ts';

/** What is known of the rules for one address. */
export interface ForwardingSight {
  /** When it was first asked for, in ms on the monotonic clock. */
  readonly since: number;
  /** Undefined: the answer has not come yet. */
  readonly answer: 'standing' | 'missing' | 'unreadable' | undefined;
}

export type ForwardingView = ReadonlyMap<Ip, ForwardingSight>;

/** What this node would do as the elected one, and who is known to have the address. */
interface Elected {
  readonly verdict: Verdict;
  readonly incumbent: Incumbent | undefined;
}

/** The rules are asked for while the wire still is: mostly they stand when it has answered. */
export function awaitForwarding(
  address: AddressCase,
  { config, forwarding, now }: Pick<NodeSnapshot, 'config' | 'forwarding' | 'now'>,
  { verdict, incumbent }: Elected,
): Verdict {
  const waitMs = config?.forwardingWaitMs ?? 0;
  const isNew = address.slot === undefined && incumbent === undefined;
  if (waitMs === 0 || !isNew || forwarding === undefined) return verdict;
  const forwards = openingsAt(address.ip, address.services);
  if (verdict.reason === 'askingTheWire') return { ...verdict, forwards };
  if (verdict.outcome.kind !== 'local') return verdict;
  const sight = forwarding.get(address.ip);
  const until = (sight?.since ?? now) + waitMs;
  if (isKnown(sight) || now >= until) return verdict;
  return { ...absent('awaitingForwarding'), wakeAt: until, forwards };
}

function isKnown(sight: ForwardingSight | undefined): boolean {
  return sight?.answer === 'standing' || sight?.answer === 'unreadable';
}
