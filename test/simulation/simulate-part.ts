/** One process of a campaign: `FIRST-SEED STEP`, one line of JSON for each history, for ever. */

import { planSeed } from './fault-plan.ts';
import { runHistory } from './history.ts';
import { noMeasurements } from './measurements.ts';

const [first = 1, step = 1] = process.argv.slice(2).map(Number);
for (let seed = first; ; seed += step) {
  const plan = planSeed(seed);
  const report = await runHistory(plan).catch((error: unknown) => ({
    violations: [`seed ${seed} ended with ${error instanceof Error ? error.message : error}`],
    measurements: noMeasurements(),
  }));
  const { violations, measurements } = report;
  const { traits } = plan;
  process.stdout.write(`${JSON.stringify({ seed, traits, violations, measurements })}\n`);
}
