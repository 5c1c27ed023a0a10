/** Losses as they happen, for those who watch: the report at the end knows more about stalls and late answers. */

export class RunningLosses {
  /** Not answered in time since the first answer there was, and not late either. */
  lost = 0;
  longestOutageMs = 0;
  readonly #sentAt: ArrayLike<number>;
  readonly #answeredAt: ArrayLike<number>;
  readonly #lateAfterMs: number;
  #settled = 0;
  #hasBegun = false;
  #silentSince: number | undefined;

  /** `answeredAt` is NaN where no answer came. */
  constructor(sentAt: ArrayLike<number>, answeredAt: ArrayLike<number>, lateAfterMs: number) {
    this.#sentAt = sentAt;
    this.#answeredAt = answeredAt;
    this.#lateAfterMs = lateAfterMs;
  }

  /** Judges those of the first `sent` packets whose time is over. */
  settle(sent: number, now: number): void {
    for (; this.#settled < sent; this.#settled += 1) {
      const at = this.#sentAt[this.#settled] ?? now;
      if (at + this.#lateAfterMs > now) return;
      this.#judge(at, !Number.isNaN(this.#answeredAt[this.#settled]));
    }
  }

  /** An answer came, perhaps to a packet that was given up already. */
  hear(number: number): void {
    if (number < this.#settled && this.#hasBegun) this.lost = Math.max(0, this.lost - 1);
  }

  #judge(at: number, isAnswered: boolean): void {
    if (isAnswered) {
      const from = this.#silentSince;
      if (from !== undefined) this.longestOutageMs = Math.max(this.longestOutageMs, at - from);
      this.#silentSince = undefined;
      this.#hasBegun = true;
    } else if (this.#hasBegun) {
      this.lost += 1;
      this.#silentSince ??= at;
      this.longestOutageMs = Math.max(this.longestOutageMs, at - this.#silentSince);
    }
  }
}
