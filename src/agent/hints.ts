import type { Ip } from '../model/ip.ts';
import type { Hint } from '../wire/hint.ts';

/** Where a hint came from, and whether that is proven. */
export interface HintSender {
  readonly ip: Ip;
  /** Undefined: unsigned, and the members are not known yet. */
  readonly node: string | undefined;
  /** The key that signed it; undefined: it is not signed, and by what is known of the sender need not be. */
  readonly keyId: number | undefined;
}

export type HintListener = (hint: Hint, sender: HintSender) => void;

/** What agents say to each other: what to look at, and who holds what. */
export interface Hints {
  /** As far as it goes: whether it arrives, nobody knows. */
  send(hint: Hint, to: readonly Ip[]): void;
  /** The answer is signed if the question was. */
  reply(hint: Hint, to: HintSender): void;
  listen(listener: HintListener): void;
  close(): void;
}
