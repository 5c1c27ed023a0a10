/** Writes pieces as fast as they are taken: the next one is asked for when the one before it has left. */

/** What both answers over HTTP and the standard output are. */
export interface Outlet {
  readonly destroyed: boolean;
  write(piece: string | Uint8Array): boolean;
  once(event: 'drain' | 'close' | 'error', listener: (error?: Error) => void): unknown;
  off(event: 'drain' | 'close' | 'error', listener: (error?: Error) => void): unknown;
}

/** Resolves when all are written, or the outlet is closed; rejects if it fails. */
export async function writeAll(
  outlet: Outlet,
  pieces: Iterable<string> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const failed = Promise.withResolvers<never>();
  // It is raced with below, and also where nobody waits a failure must not end the process.
  failed.promise.catch(() => {});
  const onError = (error?: Error) => failed.reject(error);
  outlet.once('error', onError);
  try {
    for await (const piece of pieces) {
      if (outlet.destroyed) break;
      if (!outlet.write(piece)) await Promise.race([drained(outlet), failed.promise]);
    }
    await Promise.race([failed.promise, Promise.resolve()]);
  } finally {
    outlet.off('error', onError);
  }
}

/** Or closed. */
function drained(outlet: Outlet): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      outlet.off('drain', settle);
      outlet.off('close', settle);
      resolve();
    };
    if (outlet.destroyed) resolve();
    outlet.once('drain', settle);
    outlet.once('close', settle);
  });
}
