/** How many requests are under way at once; the others wait in the order in which they came. */
export class Slots {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves with the slot held; give it back by `release`, once. */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await this.#wait(signal);
  }

  release(): void {
    const next = this.#waiting.values().next();
    if (next.done === true) this.#free += 1;
    else next.value();
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(proceed);
        signal?.removeEventListener('abort', onAbort);
      };
      const proceed = () => {
        leave();
        resolve();
      };
      const onAbort = () => {
        leave();
        reject(signal?.reason);
      };
      this.#waiting.add(proceed);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}
