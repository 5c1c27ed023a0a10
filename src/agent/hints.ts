import type { Ip } from '../model/ip.ts';
import type { Hint } from '../wire/hint.ts';

/** The port by which agents tell each other what to look at. Nothing that comes by it is believed. */
export interface Hints {
  /** As far as it goes: whether it arrives, nobody knows. */
  send(hint: Hint, to: readonly Ip[]): void;
  listen(listener: (hint: Hint) => void): void;
  close(): void;
}

export const hintPort = 7476;
