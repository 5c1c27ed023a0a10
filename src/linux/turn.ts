/** So long may work go on before others get their turn of the event loop. */
export const turnMillis = 5;

/** Keeps long synchronous work from holding up the event loop: `if (turn.isOver()) await turn.next()`. */
export class Turn {
  readonly #now: () => number;
  #startedAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#startedAt = now();
  }

  get elapsed(): number {
    return this.#now() - this.#startedAt;
  }

  isOver(): boolean {
    return this.elapsed >= turnMillis;
  }

  async next(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#startedAt = this.#now();
  }
}
