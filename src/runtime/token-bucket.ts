/** A rate limit: a burst, and from then on so many a second. Costs two numbers, however often it is asked. */
export class TokenBucket {
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  constructor(limit: { readonly perSecond: number; readonly burst: number }, monotonic: number) {
    this.#perMs = limit.perSecond / 1000;
    this.#burst = limit.burst;
    this.#tokens = limit.burst;
    this.#at = monotonic;
  }

  /** False: the limit is reached, and nothing was taken. */
  take(monotonic: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + (monotonic - this.#at) * this.#perMs);
    this.#at = monotonic;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
