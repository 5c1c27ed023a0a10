/** Time as a port: nothing outside this room sets a timer, so that everything can run on a manual clock. */

export interface Clock {
  /** Wall time in epoch milliseconds, for what people and other machines read. It may jump either way. */
  now(): number;
  /** Milliseconds from an arbitrary start that only move forward: for every duration and deadline. */
  monotonic(): number;
  /**
   * Calls back once, never before `ms` of monotonic time have passed and never before this call returned; 0 means
   * as soon as the events that wait already were handled, Infinity never.
   */
  after(ms: number, callback: () => void): Cancel;
}

/** Harmless when the callback already ran. */
export type Cancel = () => void;

/** Resolves after `ms`, or rejects with the signal's reason as soon as that is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** A caller's `NaN` would otherwise become a timer that fires at once, for ever. */
export function checkDelay(ms: number): void {
  if (Number.isNaN(ms)) throw new RangeError('a delay must be a number of milliseconds, not NaN');
}
