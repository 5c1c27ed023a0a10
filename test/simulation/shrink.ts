/** A failing history with as few faults as still make it fail. */

import type { Burst, HistoryPlan } from './fault-plan.ts';

type Fails = (plan: HistoryPlan) => Promise<boolean>;

/** Each try is a whole history; so it ends at some time of the real clock. */
export async function shrinkPlan(
  plan: HistoryPlan,
  fails: Fails,
  until = Infinity,
): Promise<HistoryPlan> {
  let best = plan;
  const attempt = async (bursts: readonly Burst[]): Promise<boolean> => {
    const smaller = { ...best, bursts };
    if (performance.now() > until || !(await fails(smaller))) return false;
    best = smaller;
    return true;
  };
  for (let burst = best.bursts.length - 1; burst >= 0; burst -= 1) {
    if (best.bursts.length > 1) await attempt(best.bursts.toSpliced(burst, 1));
  }
  for (let burst = best.bursts.length - 1; burst >= 0; burst -= 1) {
    await shrinkBurst(() => best.bursts, burst, attempt);
  }
  return best;
}

/** Halves, then quarters, and in the end each by itself: of eighty faults mostly a few matter. */
async function shrinkBurst(
  current: () => readonly Burst[],
  burst: number,
  attempt: (bursts: readonly Burst[]) => Promise<boolean>,
): Promise<void> {
  const length = () => current()[burst]?.faults.length ?? 0;
  for (let size = Math.ceil(length() / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = length() - size; at > -size; at -= size) {
      const before = current();
      const one = before[burst];
      if (one === undefined) return;
      const faults = one.faults.toSpliced(Math.max(0, at), size + Math.min(0, at));
      await attempt(before.with(burst, { ...one, faults }));
    }
  }
}
