/** A host that sends to addresses of Services through its own ARP cache, and notices what is not answered. */

import { FakeHost } from '../../src/linux/fake-host.ts';
import type { FakeNic } from '../../src/linux/fake-nic.ts';
import type { FakeSegment } from '../../src/linux/fake-segment.ts';
import { familyOf, type Ip, ipOf } from '../../src/model/ip.ts';
import { macOf } from '../../src/model/mac.ts';
import type { ManualClock } from '../../src/runtime/manual-clock.ts';

const own = { ipv4: ipOf('192.0.2.91'), ipv6: ipOf('2001:db8:1::91') } as const;

export interface Silence {
  readonly ip: Ip;
  readonly from: number;
  readonly ms: number;
}

export class SimulatedClient {
  /** Ended ones. */
  readonly silences: Silence[] = [];
  readonly #clock: ManualClock;
  readonly #nic: FakeNic;
  /** When each address was first asked without an answer since. */
  readonly #waiting = new Map<Ip, number>();
  readonly #everyMs: number;
  #ips: readonly Ip[] = [];

  constructor(clock: ManualClock, segment: FakeSegment, everyMs = 10) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    const link = { index: 2, name: 'eth0', mac: macOf('02:00:00:01:00:91') };
    const addresses = new Set<Ip>(Object.values(own));
    this.#nic = new FakeHost().addNic({ link, segment, addresses });
    this.#nic.taps.add({
      onFrame: (frame, at) => {
        if (frame.kind === 'echo-reply' && frame.to === link.mac) this.#hear(frame.source, at);
      },
      onLinkDown: () => {},
      onLinkGone: () => {},
    });
    this.#tick();
  }

  /** From now on these, and no others. */
  follow(ips: readonly Ip[]): void {
    this.#ips = ips;
    for (const ip of this.#waiting.keys()) if (!ips.includes(ip)) this.#waiting.delete(ip);
  }

  /** The longest silence of an address since the time, those that go on included. */
  longestSilence(ip: Ip, since: number): number {
    const now = this.#clock.monotonic();
    const open = this.#waiting.get(ip);
    const ended = this.silences.filter((one) => one.ip === ip && one.from + one.ms >= since);
    return Math.max(0, ...ended.map(({ ms }) => ms), open === undefined ? 0 : now - open);
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    for (const ip of this.#ips) {
      if (!this.#waiting.has(ip)) this.#waiting.set(ip, now);
      this.#nic.ping(ip, own[familyOf(ip)], now);
    }
    this.#clock.after(this.#everyMs, () => this.#tick());
  }

  #hear(ip: Ip, at: number): void {
    const from = this.#waiting.get(ip);
    this.#waiting.delete(ip);
    // One round trip is no silence.
    if (from !== undefined && at - from > this.#everyMs) {
      this.silences.push({ ip, from, ms: at - from });
    }
  }
}
