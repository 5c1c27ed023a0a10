/** The world in which the contract of `Neighbours` is tested, and how one looks at what was heard in it. */

import assert from 'node:assert/strict';
import { type Family, type Ip, ipOf } from '../model/ip.ts';
import type { EthernetLink } from '../model/link.ts';
import { type Mac, macOf } from '../model/mac.ts';
import type { NeighbourEvent } from '../model/neighbour-event.ts';
import { claimIn, type NeighbourFrame, questionIn } from '../model/neighbour-frame.ts';
import type { NeighbourListener, Neighbours } from './neighbours.ts';

/** We and two peers on one segment: 192.0.2.1 to .3 and 2001:db8::1 to ::3. */
export interface NeighbourWorld {
  readonly neighbours: Neighbours;
  readonly link: EthernetLink;
  readonly ips: Readonly<Record<Family, Ip>>;
  readonly peers: readonly [NeighbourPeer, NeighbourPeer];
  now(): number;
  /** Lets time pass, and everything happen that happens meanwhile. */
  pass(ms: number): Promise<void>;
  /** Time passes, but this process does nothing. */
  block(ms: number): void;
  /** Our own link. */
  setLink(state: 'up' | 'down'): void;
  deleteLink(): void;
  close(): Promise<void>;
}

export interface NeighbourPeer {
  readonly mac: Mac;
  readonly ips: Readonly<Record<Family, Ip>>;
  hold(ip: Ip, on?: 'segment' | 'other-link'): void;
  release(ip: Ip): void;
  /** Sends one echo request by itself. */
  ping(ip: Ip): Promise<void>;
  /** Sends this very frame, whatever it says of its sender. */
  say(frame: NeighbourFrame): void;
  /** Where its kernel believes an address to be. */
  neighbour(ip: Ip): Mac | undefined;
  /** From now on it neither hears nor says anything. */
  die(): void;
  /** Hears as `Neighbours.listen` does, on the peer. */
  listen(listener: NeighbourListener): void;
}

/** Runs `body` as a test in a world of its own. */
export type Contract = (title: string, body: (world: NeighbourWorld) => Promise<void>) => void;

export const vips = { ipv4: ipOf('192.0.2.100'), ipv6: ipOf('2001:db8::100') } as const;
export const foreignMac = macOf('02:00:5e:10:ff:ff');
/** Longer than any answer takes on a busy machine. */
export const silenceMs = 200;

export function recordOf(subscribe: (listener: NeighbourListener) => unknown): NeighbourEvent[] {
  const events: NeighbourEvent[] = [];
  subscribe((event) => events.push(event));
  return events;
}

/** Replies to echoes among them only when the link is drained. */
export async function untilDrained(world: NeighbourWorld, isSo: () => boolean): Promise<void> {
  await until(world, () => {
    world.neighbours.drain(world.link);
    return isSo();
  });
}

/** Answers and announcements; who asks is told by `questionIn`. */
export function claimsOf(events: readonly NeighbourEvent[], ip: Ip) {
  return events
    .map((event) =>
      'from' in event && questionIn(event) === undefined ? claimIn(event) : undefined,
    )
    .filter((claim) => claim?.ip === ip)
    .map((claim) => ({ ip, mac: claim?.mac }));
}

export function framesAbout(events: readonly NeighbourEvent[], ip: Ip): readonly NeighbourFrame[] {
  return events
    .filter((event) => 'from' in event)
    .filter((event) => claimIn(event)?.ip === ip)
    .map(({ at: _, ...frame }) => frame);
}

export function repliesOf(events: readonly NeighbourEvent[]) {
  return events.filter((event) => event.kind === 'echo-reply');
}

/** The process may be held up between reading the wall clock, by which the kernel stamps, and the monotonic one. */
const clockSlackMs = 5;

export function assertHeardSince(
  events: readonly NeighbourEvent[],
  from: number,
  to: number,
): void {
  for (const { at } of events) {
    assert.ok(at >= from - clockSlackMs && at <= to + clockSlackMs, `${from} ≤ ${at} ≤ ${to}`);
  }
}

export async function assertSilence(
  world: NeighbourWorld,
  events: readonly NeighbourEvent[],
  ip: Ip,
) {
  await world.pass(silenceMs);
  world.neighbours.drain(world.link);
  assert.deepEqual(claimsOf(events, ip), []);
}

export async function until(
  world: NeighbourWorld,
  isSo: () => boolean,
  withinMs = 2000,
): Promise<void> {
  const deadline = world.now() + withinMs;
  while (!isSo()) {
    assert.ok(world.now() < deadline, `not within ${withinMs} ms: ${isSo}`);
    await world.pass(10);
  }
}

export async function untilEqual<T>(
  world: NeighbourWorld,
  read: () => T,
  expected: T,
): Promise<void> {
  const deadline = world.now() + 500;
  while (read() !== expected && world.now() < deadline) await world.pass(20);
  assert.equal(read(), expected);
}
