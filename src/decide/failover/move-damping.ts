/** An address that moves too often stays where it is for a while: whatever drives it to and fro is not worth its clients. */

import type { FailoverTimings } from '../../model/agent-config.ts';
import type { Ip } from '../../model/ip.ts';

/** Who held each address last, and when it moved; in ms on the monotonic clock. */
export type MoveHistory = ReadonlyMap<Ip, MoveRecord>;

export interface MoveRecord {
  readonly holder: string;
  readonly movedAt: readonly number[];
}

type Damping = FailoverTimings['damping'];

/** From the slots, which name a holder when it has taken an address. */
export function noteMoves(
  slots: Iterable<{ readonly ip: Ip; readonly node: string }>,
  previous: MoveHistory,
  { windowMs, holdMs }: Damping,
  now: number,
): Map<Ip, MoveRecord> {
  const history = new Map<Ip, MoveRecord>();
  for (const { ip, node } of slots) {
    const before = previous.get(ip);
    const hasMoved = before !== undefined && before.holder !== node;
    const movedAt = hasMoved ? [...before.movedAt, now] : (before?.movedAt ?? []);
    const recent = movedAt.filter((at) => now - at < windowMs + holdMs);
    history.set(ip, { holder: node, movedAt: recent });
  }
  return history;
}

/** Until when each address stays that moved too often; only those that do. */
export function findDamped(
  history: MoveHistory,
  { moves, windowMs, holdMs }: Damping,
  now: number,
): ReadonlyMap<Ip, number> {
  const damped = [...history].flatMap(([ip, { movedAt }]): [Ip, number][] => {
    const ends = movedAt.flatMap((at, index) => {
      const first = movedAt[index - moves + 1];
      return first !== undefined && at - first <= windowMs ? [at + holdMs] : [];
    });
    const until = Math.max(-Infinity, ...ends);
    return until > now ? [[ip, until]] : [];
  });
  return new Map(damped);
}
