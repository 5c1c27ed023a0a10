/** Whom a node asks whether it lives, and what is known of it so far. */

import type { Watch } from '../decide/failover/assign-watches.ts';
import type { HolderAnswer } from '../decide/failover/watch-holder.ts';
import { forgetOthers, type WatchState } from '../decide/failover/watch-state.ts';
import type { FailoverTimings } from '../model/agent-config.ts';

export interface WatchTarget {
  watch: Watch;
  state: WatchState;
  answers: HolderAnswer[];
  wakeAt: number;
  /** Last, before it fell silent. */
  heardAt: number;
}

/** Those that hold nothing are asked less often: nobody waits for them, they may only have watched someone who died. */
export function timingsFor({ ips }: Watch, timings: FailoverTimings): FailoverTimings {
  if (ips.length > 0) return timings;
  return { ...timings, probeIntervalMs: timings.probeIntervalMs * idleTimes };
}

const idleTimes = 3;

export function changeWatch(target: WatchTarget, watch: Watch): void {
  const isSame = JSON.stringify(target.watch) === JSON.stringify(watch);
  if (isSame) return;
  target.watch = watch;
  target.state = forgetOthers(target.state, watch);
}

/** Nobody waits for what it says next. */
export function isCalm({ phase, misses }: WatchState): boolean {
  return (phase.kind === 'watching' && misses === 0) || phase.kind === 'silent';
}

export function keyOf({ holder, link }: Watch): string {
  return `${holder} ${link}`;
}

/** One that is silent is asked on, though it holds nothing any more: whether it is back decides whether it may. */
export function remainder({ watch, state }: WatchTarget): Watch | undefined {
  const { kind } = state.phase;
  return kind === 'silent' || kind === 'hinted' || kind === 'confirming' ? watch : undefined;
}
