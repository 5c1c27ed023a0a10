/** Why a Service does not get what it asks for, and what would have to happen first. */

import type { Family, Ip } from '../../model/ip.ts';
import type { RejectionReason } from '../../model/reasons.ts';
import type { SourceRequest } from './allocation-state.ts';

export interface Obstacle {
  /** `pending`: not known yet, or about to change by itself; nobody needs to be told. */
  readonly kind: 'refuse' | 'pending';
  readonly reason: RejectionReason;
  /** What is wrong and what to do, as a sentence; the same for as long as nothing changes. */
  readonly message: string;
  /** The name of a pool that exists; undefined where none is meant, or none of that name exists. */
  readonly pool: string | undefined;
  readonly waitsFor: readonly Wait[];
}

/** What a Service waits for: only a change of that gives it another answer. */
export type Wait =
  | { readonly kind: 'edit' }
  | { readonly kind: 'group'; readonly name: string }
  | { readonly kind: 'pool'; readonly pool: string; readonly family: Family }
  | { readonly kind: 'address'; readonly ip: Ip }
  | { readonly kind: 'sharing key'; readonly pool: string; readonly key: string }
  | { readonly kind: 'namespace'; readonly name: string }
  | { readonly kind: 'subnets' }
  | { readonly kind: 'source'; readonly request: SourceRequest }
  /** A source is to take back all that the Service has from it. */
  | { readonly kind: 'return'; readonly pool: string }
  | { readonly kind: 'time'; readonly at: number };

interface RefusalContext {
  readonly pool?: string | undefined;
  readonly waitsFor?: readonly Wait[];
}

export function refuse(
  reason: RejectionReason,
  message: string,
  { pool, waitsFor = [] }: RefusalContext = {},
): Obstacle {
  return { kind: 'refuse', reason, message, pool, waitsFor: [{ kind: 'edit' }, ...waitsFor] };
}

export function postpone(message: string, pool: string | undefined, ...waitsFor: Wait[]): Obstacle {
  return { kind: 'pending', reason: 'other', message, pool, waitsFor };
}

export function isObstacle(value: object): value is Obstacle {
  return 'waitsFor' in value;
}

export function isNoObstacle<T extends object>(value: T | Obstacle): value is T {
  return !isObstacle(value);
}
