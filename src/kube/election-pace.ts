/** How long a leader asks for its Lease, and what follows from that: fast while all goes well, patient while it does not. */

export interface ElectionTiming {
  /** In the Lease, rounded up to whole seconds. */
  readonly durationMs: number;
  /** How long the leader acts after it sent the last renewal that succeeded; well before others take over. */
  readonly deadlineMs: number;
  readonly renewEveryMs: number;
  /** After an attempt that failed. */
  readonly retryEveryMs: number;
  /** For one call. */
  readonly callMs: number;
}

/** The leader acts for this part of the duration. */
const deadlineShare = 0.7;
/**
 * A standby that saw no renewal for this part of the duration tries to take the Lease. The rest of the duration is left
 * for reading what the predecessor wrote last: a Lease counts in whole seconds.
 */
export const takeOverShare = 0.875;
/** A Lease is never renewed more often. */
const shortestPauseMs = 1_000;
/** Where renewals are slow or fail, the duration is doubled up to this. */
const longestMs = 16_000;
/** A renewal that used up this part of the time between it and the deadline was late. */
const lateShare = 0.75;
/** So many renewals in time end the doubt that one of them caused. */
const calmRenewals = 30;

export function timingFor(durationMs: number): ElectionTiming {
  const share = (part: number) => Math.round(durationMs * part);
  return {
    durationMs,
    deadlineMs: share(deadlineShare),
    renewEveryMs: Math.max(share(0.2), Math.min(shortestPauseMs, share(0.5))),
    retryEveryMs: share(0.1),
    callMs: share(0.4),
  };
}

/**
 * A leader whose renewals are late, because the API server is slow or the leader itself is busy, asks for twice the
 * duration: a standby that takes over from a leader which lives only makes more work for the same server.
 */
export class ElectionPace {
  readonly #usualMs: number;
  #durationMs: number;
  #calm = 0;

  constructor(usualMs: number) {
    this.#usualMs = usualMs;
    this.#durationMs = usualMs;
  }

  /** Of the next renewal. */
  get timing(): ElectionTiming {
    return timingFor(this.#durationMs);
  }

  /** `lateMs`: from when the renewal was due to when it was answered. */
  noteRenewal(lateMs: number): void {
    const { deadlineMs, renewEveryMs } = timingFor(this.#durationMs);
    const leftMs = deadlineMs - renewEveryMs;
    if (lateMs > leftMs * lateShare) this.noteFailure();
    else if (lateMs > leftMs / 2) this.#calm = 0;
    else this.#noteCalm();
  }

  noteFailure(): void {
    this.#calm = 0;
    this.#durationMs = Math.max(this.#usualMs, Math.min(2 * this.#durationMs, longestMs));
  }

  #noteCalm(): void {
    this.#calm += 1;
    if (this.#calm < calmRenewals) return;
    this.#calm = 0;
    this.#durationMs = Math.max(this.#usualMs, this.#durationMs / 2);
  }
}
