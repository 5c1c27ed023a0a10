/**
 * Which of a sender's numbered messages were heard before. Numbers count up; packets may overtake each other by a little.
 * A number below the window counts as heard: the message may be a recording.
 */

export interface ReplayWindow {
  readonly highest: number;
  /** Bit n: `highest - n` was heard. */
  readonly heard: bigint;
}

const width = 64;
const mask = (1n << BigInt(width)) - 1n;

/** The window after it, or undefined if the number was heard before. */
export function noteSequence(
  window: ReplayWindow | undefined,
  sequence: number,
): ReplayWindow | undefined {
  if (window === undefined) return { highest: sequence, heard: 1n };
  const ahead = sequence - window.highest;
  if (ahead >= width) return { highest: sequence, heard: 1n };
  if (ahead > 0) {
    return { highest: sequence, heard: ((window.heard << BigInt(ahead)) | 1n) & mask };
  }
  if (-ahead >= width) return undefined;
  const bit = 1n << BigInt(-ahead);
  return (window.heard & bit) === 0n ? { ...window, heard: window.heard | bit } : undefined;
}
