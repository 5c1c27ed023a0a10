/** Sends to each address every few milliseconds, and notes what is not answered. */

import type { FakeNic } from '../../src/linux/fake-nic.ts';
import { type Family, familyOf, type Ip } from '../../src/model/ip.ts';
import type { ManualClock } from '../../src/runtime/manual-clock.ts';
import type { Silence } from './simulated-client.ts';

export class PingingClient {
  readonly silences: Silence[] = [];
  readonly #clock: ManualClock;
  readonly #nic: FakeNic;
  readonly #own: Readonly<Record<Family, Ip>>;
  readonly #everyMs: number;
  /** When each address was first asked without an answer since. */
  readonly #waiting = new Map<Ip, number>();
  #ips: readonly Ip[] = [];

  constructor(
    clock: ManualClock,
    nic: FakeNic,
    own: Readonly<Record<Family, Ip>>,
    everyMs: number,
  ) {
    this.#clock = clock;
    this.#nic = nic;
    this.#own = own;
    this.#everyMs = everyMs;
    nic.taps.add({
      onFrame: (frame, at) => {
        if (frame.kind === 'echo-reply' && frame.to === nic.mac) this.#hear(frame.source, at);
      },
      onLinkDown: () => {},
      onLinkGone: () => {},
    });
    this.#tick();
  }

  follow(ips: readonly Ip[]): void {
    this.#ips = ips;
    for (const ip of this.#waiting.keys()) if (!ips.includes(ip)) this.#waiting.delete(ip);
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    for (const ip of this.#ips) {
      if (!this.#waiting.has(ip)) this.#waiting.set(ip, now);
      this.#nic.ping(ip, this.#own[familyOf(ip)], now);
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
