/**
 * A host that sends to addresses of Services through its own ARP cache, and notices what is not answered. Whether a
 * packet would be answered is worked out at every step of the clock, from its cache, the segment and the kernels: that
 * is exact, and costs no frames. With `everyMs` it sends real ones as well, to hold the one against the other.
 */

import { FakeHost } from '../../src/linux/fake-host.ts';
import type { FakeNic } from '../../src/linux/fake-nic.ts';
import type { FakeSegment } from '../../src/linux/fake-segment.ts';
import { familyOf, type Ip, ipOf } from '../../src/model/ip.ts';
import { macOf } from '../../src/model/mac.ts';
import type { ManualClock } from '../../src/runtime/manual-clock.ts';
import { PingingClient } from './pinging-client.ts';

const own = { ipv4: ipOf('192.0.2.91'), ipv6: ipOf('2001:db8:1::91') } as const;
/** How long Linux uses an entry that leads nowhere before it asks everyone again: DELAY and three probes. */
const disbeliefMs = 8_000;
const askAgainMs = 1_000;
/** The client is not told of less: a packet every 10 ms would not show it. */
const shortestMs = 10;

export interface Silence {
  readonly ip: Ip;
  readonly from: number;
  readonly ms: number;
}

/** What stands behind a MAC on the segment. */
export type Answers = (ip: Ip, nic: FakeNic) => boolean;

interface Waiting {
  readonly since: number;
  askedAt: number;
}

export class SimulatedClient {
  /** Ended ones. */
  readonly silences: Silence[] = [];
  readonly nic: FakeNic;
  readonly pings: PingingClient | undefined;
  readonly #clock: ManualClock;
  readonly #answers: Answers;
  readonly #waiting = new Map<Ip, Waiting>();
  #ips: readonly Ip[] = [];

  constructor(clock: ManualClock, segment: FakeSegment, answers: Answers, everyMs?: number) {
    this.#clock = clock;
    this.#answers = answers;
    const link = { index: 2, name: 'eth0', mac: macOf('02:00:00:01:00:91') };
    const addresses = new Set<Ip>(Object.values(own));
    this.nic = new FakeHost().addNic({ link, segment, addresses });
    this.pings =
      everyMs === undefined ? undefined : new PingingClient(clock, this.nic, own, everyMs);
  }

  /** From now on these, and no others. */
  follow(ips: readonly Ip[]): void {
    this.#ips = ips;
    for (const ip of this.#waiting.keys()) if (!ips.includes(ip)) this.#waiting.delete(ip);
    this.pings?.follow(ips);
  }

  /** Since when nothing answers for it; undefined: it is answered. */
  silentSince(ip: Ip): number | undefined {
    return this.#waiting.get(ip)?.since;
  }

  /** The longest silence of an address since the time, those that go on included. */
  longestSilence(ip: Ip, since: number): number {
    const now = this.#clock.monotonic();
    const open = this.#waiting.get(ip);
    const ended = this.silences.filter((one) => one.ip === ip && one.from + one.ms >= since);
    const ms = open === undefined ? 0 : now - open.since;
    return Math.max(0, ...ended.map((one) => one.ms), ms > shortestMs ? ms : 0);
  }

  /** To be called whenever anything may have changed. */
  look(): void {
    const now = this.#clock.monotonic();
    for (const ip of this.#ips) {
      const waiting = this.#waiting.get(ip);
      if (this.#answers(ip, this.nic)) {
        if (waiting !== undefined) this.#end(ip, waiting, now);
      } else if (waiting === undefined) {
        this.#waiting.set(ip, { since: now, askedAt: -Infinity });
        this.#ask(ip);
      }
    }
  }

  #end(ip: Ip, { since }: Waiting, now: number): void {
    this.#waiting.delete(ip);
    if (now - since > shortestMs) this.silences.push({ ip, from: since, ms: now - since });
  }

  /** As long as it is silent: who is unknown is asked for, and who is known is not believed for ever. */
  #ask(ip: Ip): void {
    const waiting = this.#waiting.get(ip);
    if (waiting === undefined) return;
    const now = this.#clock.monotonic();
    const isBelieved = now - waiting.since < disbeliefMs;
    if (!isBelieved) this.nic.neighbours.forget(ip);
    if (!isBelieved || this.nic.neighbours.get(ip) === undefined) {
      this.nic.ping(ip, own[familyOf(ip)], now);
    }
    this.#clock.after(askAgainMs, () => {
      if (this.#waiting.get(ip) === waiting) this.#ask(ip);
    });
  }
}
