/** How often each user asked for what: `alice patch services/status`. */

export class Audit {
  readonly #counts = new Map<string, number>();

  count(user: string, verb: string, resource: string): void {
    const key = `${user} ${verb} ${resource}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** Requests so far by user, verb and resource (or path), in the order of their first occurrence. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Sum over all entries that match: `total({ user: 'alice', verb: 'patch' })`. */
  total(wanted: {
    readonly user?: string;
    readonly verb?: string;
    readonly resource?: string;
  }): number {
    let sum = 0;
    for (const [key, count] of this.#counts) {
      const [user, verb, resource] = key.split(' ');
      const isWanted =
        (wanted.user ?? user) === user &&
        (wanted.verb ?? verb) === verb &&
        (wanted.resource ?? resource) === resource;
      if (isWanted) sum += count;
    }
    return sum;
  }

  clear(): void {
    this.#counts.clear();
  }
}
