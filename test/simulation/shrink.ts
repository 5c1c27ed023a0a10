/** A failing history with as few faults as still make it fail. */

import type { Burst, HistoryPlan } from './fault-plan.ts';

/** Each try is a whole history. */
const mostTries = 80;

export async function shrinkPlan(
  plan: HistoryPlan,
  fails: (plan: HistoryPlan) => Promise<boolean>,
): Promise<HistoryPlan> {
  let best = plan;
  let tries = 0;
  const attempt = async (bursts: readonly Burst[]): Promise<boolean> => {
    tries += 1;
    const smaller = { ...best, bursts };
    if (tries > mostTries || !(await fails(smaller))) return false;
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

async function shrinkBurst(
  current: () => readonly Burst[],
  burst: number,
  attempt: (bursts: readonly Burst[]) => Promise<boolean>,
): Promise<void> {
  for (let fault = (current()[burst]?.faults.length ?? 0) - 1; fault >= 0; fault -= 1) {
    const before = current();
    const one = before[burst];
    if (one === undefined) return;
    await attempt(before.with(burst, { ...one, faults: one.faults.toSpliced(fault, 1) }));
  }
}
