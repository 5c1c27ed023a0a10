/** The port to the kernel's packet filter, for the guard alone: `NftablesGuard` is the real one, `FakeGuard` the other. */

import type { GuardRules } from '../model/guard.ts';

export interface Guard {
  /**
   * Makes the kernel guard these addresses and no others, all at once: no packet ever meets half of it. What stands
   * already is left alone, also by a successor; what someone did to it is mended. Without addresses nothing of ours is
   * left in the filter. Whatever others have there is never touched.
   */
  apply(rules: GuardRules): Promise<GuardOutcome>;

  /** Leaves the kernel as it is. */
  close(): void;
}

export type GuardOutcome =
  | { readonly kind: 'unchanged' | 'changed' }
  | { readonly kind: 'failed'; readonly code: GuardFailureCode; readonly words: string };

export type GuardFailureCode =
  /** This kernel cannot do it. */
  | 'Unsupported'
  /** It would not. */
  | 'Refused'
  /** No answer: it may or may not have been done. */
  | 'Unknown';
