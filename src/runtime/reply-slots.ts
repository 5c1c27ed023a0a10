/** How many answers of one kind are under way at once, so that clients that do not read cannot fill the memory. */

export interface ReplySlotsOptions {
  readonly atOnce: number;
  /** Refuse the next one, or end the one that has been under way longest. */
  readonly whenFull: 'refuse' | 'end the oldest';
}

export class ReplySlots {
  readonly #options: ReplySlotsOptions;
  /** How to end each answer under way, oldest first. */
  readonly #underWay = new Set<() => void>();

  constructor(options: ReplySlotsOptions) {
    this.#options = options;
  }

  /** Gives a function to call when the answer is over, or undefined if this answer must be refused. */
  take(end: () => void): (() => void) | undefined {
    const { atOnce, whenFull } = this.#options;
    if (this.#underWay.size >= atOnce) {
      if (whenFull === 'refuse') return undefined;
      const [oldest] = this.#underWay;
      if (oldest !== undefined) this.#underWay.delete(oldest);
      oldest?.();
    }
    const place = () => end();
    this.#underWay.add(place);
    return () => {
      this.#underWay.delete(place);
    };
  }
}
