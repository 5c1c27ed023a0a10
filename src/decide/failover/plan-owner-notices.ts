/**
 * To which members this node states by a signed packet that it owns an address, without being asked by a packet: to each
 * member that asks the wire for the address. An agent that restarted without the API server knows no member that it
 * could ask, and does not yield to frames alone.
 */

import type { Ip } from '../../model/ip.ts';
import type { Mac } from '../../model/mac.ts';
import type { Identities } from '../announcement/identities.ts';

/** All times are ms on the monotonic clock. */
export interface OwnerNoticeFacts {
  readonly me: string;
  /** Addresses that this node owns and has in its kernel. */
  readonly owned: ReadonlySet<Ip>;
  /** By address, which MACs asked everyone for it, and when each last did. */
  readonly probes: ReadonlyMap<Ip, ReadonlyMap<Mac, number>>;
  readonly identities: Identities;
  /** By `noticeKey`, when the last notice was sent. */
  readonly noticedAt: ReadonlyMap<string, number>;
  readonly now: number;
}

export interface OwnerNotice {
  readonly ip: Ip;
  readonly node: string;
  /** By which the member asked. */
  readonly mac: Mac;
}

/** One notice for each time that a member asks, and none long after it asked. */
export const noticeEveryMs = 200;

export function noticeKey({ ip, node }: Pick<OwnerNotice, 'ip' | 'node'>): string {
  return `${ip} ${node}`;
}

export function planOwnerNotices(facts: OwnerNoticeFacts): readonly OwnerNotice[] {
  const { me, owned, probes, identities, noticedAt, now } = facts;
  return [...owned].flatMap((ip) =>
    [...(probes.get(ip) ?? [])].flatMap(([mac, askedAt]): readonly OwnerNotice[] => {
      const node = identities.get(mac);
      if (node === undefined || node === me || now - askedAt >= noticeEveryMs) return [];
      const last = noticedAt.get(noticeKey({ ip, node })) ?? -Infinity;
      return askedAt - last < noticeEveryMs ? [] : [{ ip, node, mac }];
    }),
  );
}
