/** Runs tasks one after another, in the order they were given. */
export class Serial {
  #last: Promise<void> = Promise.resolve();

  async run<T>(task: () => T | Promise<T>): Promise<T> {
    const previous = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await previous;
    try {
      return await task();
    } finally {
      resolve();
    }
  }
}
