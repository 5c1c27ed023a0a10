/**
 * Whether a source must keep what it has in a slot. It is asked immediately before every release: no record of an
 * address that a Service holds, or is about to be given, may go.
 */

import { type Family, familyOf, type Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import type { SourceAnswer } from './allocation-state.ts';
import { slotOwner } from './source-slots.ts';

export interface SlotWorld {
  /** Every Service that concerns us, as it is now. */
  readonly services: readonly LoadBalancer[];
  /** What sources answered and no plan has dealt with yet, by the Service's key. */
  readonly answers: ReadonlyMap<string, SourceAnswer>;
  /** Addresses that a write under way gives the Service with this key. */
  readonly underWay: (key: string) => readonly Ip[];
}

export interface LeavingSlot {
  readonly pool: Pool;
  readonly owner: string;
  readonly family: Family;
  /** The address that goes back; undefined where the source knows it better. */
  readonly address?: Ip | undefined;
  /** UID of the Service that gives it back; undefined where no Service does. */
  readonly leaving?: string | undefined;
}

/** `others`: another Service uses the slot; `own`: the Service that leaves it still has it, or has it again. */
export function findSlotUse(slot: LeavingSlot, world: SlotWorld): 'own' | 'others' | undefined {
  const isUser = (service: LoadBalancer) =>
    slotOwner(service, slot.pool) === slot.owner && uses(service, slot, world);
  const user = world.services.find(isUser);
  if (user === undefined) return undefined;
  return isLeaving(user, slot) ? 'own' : 'others';
}

function uses(service: LoadBalancer, slot: LeavingSlot, world: SlotWorld): boolean {
  const holds = isLeaving(service, slot) ? holdsAddress(service, slot) : holdsFrom(service, slot);
  return holds || isPromised(service, slot, world);
}

function isLeaving({ identity }: LoadBalancer, { leaving }: LeavingSlot): boolean {
  return identity.uid === leaving;
}

/** A Service that leaves a pool may hold addresses of another: only the very address counts. */
function holdsAddress({ grant }: LoadBalancer, { address }: LeavingSlot): boolean {
  return address !== undefined && grant.ingress.includes(address);
}

/** By the status or by the annotations: whoever takes one of them off frees nothing. */
function holdsFrom({ grant }: LoadBalancer, { pool, family }: LeavingSlot): boolean {
  const { pools, ingress, record } = grant;
  const isFrom = pools.includes(pool.name) || record?.pools.includes(pool.name) === true;
  return isFrom && ingress.some((ip) => familyOf(ip) === family);
}

function isPromised({ key }: LoadBalancer, slot: LeavingSlot, world: SlotWorld): boolean {
  const { pool, family, address } = slot;
  const answer = world.answers.get(key);
  const isAnswered =
    answer?.pool === pool.name && answer.addresses.some(({ ip }) => familyOf(ip) === family);
  if (isAnswered) return true;
  const isMeant = (ip: Ip) => (address === undefined ? familyOf(ip) === family : ip === address);
  return world.underWay(key).some(isMeant);
}
