/** One process of a campaign: `FIRST-SEED STEP`, one line of JSON for each history, for ever. */

import { planSeed } from './fault-plan.ts';
import { runHistory } from './history.ts';

const [first = 1, step = 1] = process.argv.slice(2).map(Number);
for (let seed = first; ; seed += step) {
  const { violations, measurements } = await runHistory(planSeed(seed));
  process.stdout.write(`${JSON.stringify({ seed, violations, measurements })}\n`);
}
