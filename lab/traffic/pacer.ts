/** How many packets are due, so that the rate holds although timers come late and in bursts. */

export interface PacerOptions {
  readonly perSecond: number;
  /** What is overdue for longer is left out: a burst of it would lose packets by its own force. */
  readonly mostDebtMs: number;
}

export class Pacer {
  readonly #options: PacerOptions;
  readonly #startedAt: number;
  #sent = 0;
  #skipped = 0;

  constructor(options: PacerOptions, startedAt: number) {
    this.#options = options;
    this.#startedAt = startedAt;
  }

  /** Packets that were never sent, because the client could not run when they were due. */
  get skipped(): number {
    return this.#skipped;
  }

  /** How many to send now. */
  due(now: number): number {
    const { perSecond, mostDebtMs } = this.#options;
    const scheduled = Math.floor(((now - this.#startedAt) * perSecond) / 1000) + 1;
    const debt = scheduled - this.#sent - this.#skipped;
    const most = Math.max(1, Math.ceil((mostDebtMs * perSecond) / 1000));
    const due = Math.max(0, Math.min(debt, most));
    this.#sent += due;
    this.#skipped += Math.max(0, debt - due);
    return due;
  }
}
