/** What programs that measure have in common: JSON lines out, SIGTERM in. */

export function print(message: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(message, toMicroseconds)}\n`);
}

/** Times are milliseconds; what is behind the microsecond is noise. */
function toMicroseconds(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;
}

/** `isOver` turns true when the program is told to end and give its report. */
export function untilTold(): { readonly isOver: boolean } {
  const state = { isOver: false };
  process.once('SIGTERM', () => {
    state.isOver = true;
  });
  return state;
}
