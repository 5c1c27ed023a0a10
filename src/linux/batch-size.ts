import { turnMillis } from './turn.ts';

const least = 4;
const most = 64;

/**
 * How many messages to send at once. The kernel's cost per message grows with what it already holds (an IPv4 add walks
 * the link's addresses: 18 µs with few, over 500 µs with 10,000), so a fixed number would hold up the event loop.
 */
export class BatchSize {
  #current = 16;

  get current(): number {
    return this.#current;
  }

  /** Aims at one turn's time per batch, at most doubling at a time. */
  adapt(elapsedMillis: number): void {
    const fitting = Math.floor((this.#current * turnMillis) / Math.max(elapsedMillis, 0.01));
    this.#current = Math.max(least, Math.min(most, this.#current * 2, fitting));
  }
}
