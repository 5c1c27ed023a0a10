import type { NeighbourFrame } from './neighbour-frame.ts';

/** What listening on a link yields. `at` is milliseconds on the monotonic clock of the listener. */
export type NeighbourEvent = Heard | FramesLost | LinkDown | LinkGone;

/** A frame; `at` is when the kernel received it, however late it was read. */
export type Heard = NeighbourFrame & { readonly at: number };

/** The kernel had no room for some frames: silence since the last event proves nothing. */
export interface FramesLost {
  readonly kind: 'lost';
  readonly count: number;
  readonly at: number;
}

/** Nothing is heard from now on until the link is up again; that needs no new listener. */
export interface LinkDown {
  readonly kind: 'link-down';
  readonly at: number;
}

/** The link was deleted: the last event of this listener. */
export interface LinkGone {
  readonly kind: 'link-gone';
  readonly at: number;
}
