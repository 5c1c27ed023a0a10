/** `SEED …`: the history of each, one line of JSON with what was violated. */

import { planSeed } from './fault-plan.ts';
import { runHistory } from './history.ts';

for (const seed of process.argv.slice(2).map(Number)) {
  const { violations } = await runHistory(planSeed(seed));
  process.stdout.write(`${JSON.stringify({ seed, violations })}\n`);
}
