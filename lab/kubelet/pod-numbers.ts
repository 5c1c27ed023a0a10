const first = 2;
const last = 250;

/** Which addresses of the node's subnets are in use. One that was given back is used again as late as possible. */
export class PodNumbers {
  readonly #taken = new Set<number>();
  #latest = first - 1;

  take(): number {
    for (let tries = first; tries <= last; tries += 1) {
      this.#latest = this.#latest >= last ? first : this.#latest + 1;
      if (!this.#taken.has(this.#latest)) {
        this.#taken.add(this.#latest);
        return this.#latest;
      }
    }
    throw new RangeError(`a node of the lab carries at most ${last - first + 1} pods`);
  }

  giveBack(number: number): void {
    this.#taken.delete(number);
  }
}
