import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from './monotonic.ts';

export interface Patience {
  readonly withinMs: number;
  readonly everyMs?: number;
}

/**
 * Repeats `check` until it no longer throws and resolves to what it returned. When time is up, the error says what
 * the last try saw, so let the check be an assertion about the thing itself:
 * `await eventually(() => assert.equal(client.progress.responder, 'node2'), { withinMs: 2000 })`.
 */
export async function eventually<T>(
  check: (signal: AbortSignal) => T | Promise<T>,
  { withinMs, everyMs = 20 }: Patience,
): Promise<T> {
  const signal = AbortSignal.timeout(withinMs);
  const startedAt = monotonicMs();
  let tries = 0;
  let lastSeen: unknown;
  while (!signal.aborted) {
    tries += 1;
    try {
      return await orAbort(check, signal);
    } catch (error) {
      // A try that was cut off by the deadline saw nothing: what the one before saw says more.
      if (!signal.aborted || lastSeen === undefined) lastSeen = error;
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
  const took = Math.round(monotonicMs() - startedAt);
  const saw = lastSeen instanceof Error ? lastSeen.message : String(lastSeen);
  throw new Error(`not within ${took} ms (${tries} tries); last seen: ${saw}`, { cause: lastSeen });
}

/** Rejects when the time is up even if the check itself hangs. */
async function orAbort<T>(
  check: (signal: AbortSignal) => T | Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new Error('the check did not come back'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([check(signal), promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
