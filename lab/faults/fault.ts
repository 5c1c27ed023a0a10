import { monotonicMs } from '../monotonic.ts';

/** Something that was broken on purpose. `await using` heals it at the end of the block. */
export interface Fault extends AsyncDisposable {
  /** What was done, for messages. */
  readonly what: string;
  /** Monotonic milliseconds: in effect from here on. */
  readonly since: number;
  /** Undoes it; once is enough, more does no harm. */
  heal(): Promise<void>;
}

/** Breaks something now and remembers how to undo it. */
export async function inflict(
  what: string,
  { impose, lift }: { impose: () => Promise<void>; lift: () => Promise<void> },
): Promise<Fault> {
  await impose();
  let healed: Promise<void> | undefined;
  const heal = () => {
    healed ??= lift();
    return healed;
  };
  return { what, since: monotonicMs(), heal, [Symbol.asyncDispose]: heal };
}
