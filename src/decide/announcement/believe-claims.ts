/**
 * Which members are believed to hold an address because they said so. A claim is what one announced unasked; it ends when
 * that one, asked by itself, denies that it holds the address, and counts again when it announces it anew. That it
 * answers for the address says nothing either way: with IPVS and without `strictARP` everyone does.
 *
 * A member that signs what it says claims an address by a signed affirmation, too; and once it has denied the address,
 * only such a one ends the denial. Anybody can announce an address in its name.
 */

import type { Ip } from '../../model/ip.ts';

/** By address and member, when that last was; in ms on the monotonic clock. */
export type MemberTimes = ReadonlyMap<Ip, ReadonlyMap<string, number>>;

export interface BelievedClaims {
  /** Members that announced an address, and have not denied it since. */
  readonly claims: ReadonlyMap<Ip, ReadonlySet<string>>;
  /** The last of them, and when that was. */
  readonly announced: ReadonlyMap<Ip, { readonly node: string; readonly at: number }>;
  /** Members that denied to hold an address, and have not announced it since. */
  readonly denied: MemberTimes;
}

export interface Sayings {
  readonly announcements: MemberTimes;
  /** By the time of the question: what was announced after it may be newer than the answer. */
  readonly denials: MemberTimes;
  /** Signed, and by the time of the question. */
  readonly admissions: MemberTimes;
  /** Members that prove what they say. */
  readonly signers: ReadonlySet<string>;
}

export function believeClaims(sayings: Sayings): BelievedClaims {
  const { announcements, denials, admissions, signers } = sayings;
  const timeIn = (times: MemberTimes, ip: Ip, node: string) =>
    times.get(ip)?.get(node) ?? -Infinity;
  const said = mergeTimes(announcements, admissions);
  const standing = filterTimes(said, (ip, node, at) => at >= timeIn(denials, ip, node));
  const isOver = (ip: Ip, node: string, at: number) =>
    at <= timeIn(signers.has(node) ? admissions : announcements, ip, node);
  return {
    claims: new Map([...standing].map(([ip, times]) => [ip, new Set(times.keys())])),
    announced: new Map([...standing].flatMap(([ip, times]) => lastOf(ip, times))),
    denied: filterTimes(denials, (ip, node, at) => !isOver(ip, node, at)),
  };
}

/** The later of both. */
function mergeTimes(left: MemberTimes, right: MemberTimes): MemberTimes {
  if (right.size === 0) return left;
  const merged = new Map([...left].map(([ip, times]) => [ip, new Map(times)]));
  for (const [ip, times] of right) {
    const known = merged.get(ip) ?? new Map<string, number>();
    for (const [node, at] of times) known.set(node, Math.max(at, known.get(node) ?? -Infinity));
    merged.set(ip, known);
  }
  return merged;
}

function lastOf(ip: Ip, times: ReadonlyMap<string, number>) {
  const [last] = [...times].toSorted(([, left], [, right]) => right - left);
  return last === undefined ? [] : [[ip, { node: last[0], at: last[1] }] as const];
}

function filterTimes(
  times: MemberTimes,
  isKept: (ip: Ip, node: string, at: number) => boolean,
): MemberTimes {
  const kept = [...times].map(
    ([ip, members]) =>
      [ip, new Map([...members].filter(([node, at]) => isKept(ip, node, at)))] as const,
  );
  return new Map(kept.filter(([, members]) => members.size > 0));
}
