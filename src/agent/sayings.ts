/** By address, which MACs said something of it, and when each last did; in ms on the monotonic clock. */

import type { Ip } from '../model/ip.ts';
import type { Mac } from '../model/mac.ts';

/** Who last said to hold an address. */
export interface Claim {
  readonly mac: Mac;
  readonly at: number;
  readonly link: string;
}

/** What is said over and over is no news. */
export const repeatMs = 500;

/**
 * Strangers that are remembered for one address, since one may turn out to be a member whose Lease is read a moment
 * later. Beyond that the oldest stranger is forgotten for each new one: a host that speaks with a new MAC in each frame
 * fills no memory, and displaces no member.
 */
export const mostStrangers = 4;

export class Sayings {
  readonly #times = new Map<Ip, Map<Mac, number>>();

  get times(): ReadonlyMap<Ip, ReadonlyMap<Mac, number>> {
    return this.#times;
  }

  /** Whether it had not been said just before. */
  note(ip: Ip, mac: Mac, at: number, isMember: (mac: Mac) => boolean): boolean {
    const known = this.#times.get(ip) ?? new Map<Mac, number>();
    const isNew = at - (known.get(mac) ?? -Infinity) > repeatMs;
    if (!known.has(mac) && known.size >= mostStrangers && !isMember(mac)) {
      forgetStranger(known, isMember);
    }
    this.#times.set(ip, known.set(mac, at));
    return isNew;
  }

  forgetBefore(time: number): void {
    for (const [ip, times] of this.#times) {
      for (const [mac, at] of times) if (at <= time) times.delete(mac);
      if (times.size === 0) this.#times.delete(ip);
    }
  }
}

/** Maps are in the order of insertion: the first stranger is the one that was met first. */
function forgetStranger(known: Map<Mac, number>, isMember: (mac: Mac) => boolean): void {
  for (const mac of known.keys()) {
    if (isMember(mac)) continue;
    known.delete(mac);
    return;
  }
}
