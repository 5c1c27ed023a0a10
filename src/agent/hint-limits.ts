/** How many packets are looked into: by sender, so that a flood in one member's name leaves the others heard. */

import type { Clock } from '../runtime/clock.ts';
import { TokenBucket } from '../runtime/token-bucket.ts';

/** A thousand addresses that are taken over at once are a thousand questions to each member. */
const known = { perSecond: 1_000, burst: 4_000 };
/** A member that was not heard yet, and anybody who uses its address without its session. */
const unknown = { perSecond: 50, burst: 200 };
/** Everyone together: at some 5 µs each, a twentieth of a core. */
const everyone = { perSecond: 10_000, burst: 20_000 };

interface Buckets {
  readonly known: TokenBucket;
  readonly unknown: TokenBucket;
}

export class HintLimits {
  readonly #clock: Clock;
  /** By the addresses of members, and of nobody else. */
  readonly #peers = new Map<string, Buckets>();
  readonly #strangers: TokenBucket;
  readonly #everyone: TokenBucket;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#strangers = new TokenBucket(unknown, clock.monotonic());
    this.#everyone = new TokenBucket(everyone, clock.monotonic());
  }

  attend(addresses: { keys(): Iterable<string>; has(address: string): boolean }): void {
    const now = this.#clock.monotonic();
    for (const address of this.#peers.keys()) {
      if (!addresses.has(address)) this.#peers.delete(address);
    }
    for (const address of addresses.keys()) {
      if (this.#peers.has(address)) continue;
      const buckets = {
        known: new TokenBucket(known, now),
        unknown: new TokenBucket(unknown, now),
      };
      this.#peers.set(address, buckets);
    }
  }

  /** `peer`: undefined while nobody is known. `isKnown`: it names a session that only its owner can know of. */
  take(peer: string | undefined, isKnown: boolean): boolean {
    const now = this.#clock.monotonic();
    const buckets = peer === undefined ? undefined : this.#peers.get(peer);
    const bucket = buckets === undefined ? this.#strangers : buckets[isKnown ? 'known' : 'unknown'];
    return bucket.take(now) && this.#everyone.take(now);
  }
}
