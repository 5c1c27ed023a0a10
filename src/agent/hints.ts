import type { Ip } from '../model/ip.ts';
import type { Hint } from '../wire/hint.ts';

/** `from`: where an answer goes; undefined where that cannot be told. */
export type HintListener = (hint: Hint, from: Ip | undefined) => void;

/** The port by which agents tell each other what to look at, and ask what the other holds. */
export interface Hints {
  /** As far as it goes: whether it arrives, nobody knows. */
  send(hint: Hint, to: readonly Ip[]): void;
  listen(listener: HintListener): void;
  close(): void;
}

export const hintPort = 7476;
