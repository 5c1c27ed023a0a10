/** The campaign of a test run: it must find nothing. What it finds is told with its seeds, and the first as a story. */

import { noTests, type TestCounts } from '../../scripts/test-run.ts';
import { runCampaign } from './campaign.ts';
import { describeReport, tellShrunk, usualGoal } from './simulate.ts';

const shrinkWithinMs = 60_000;

export async function simulate(mostMs: number, say: (line: string) => void): Promise<TestCounts> {
  const { report, failing } = await runCampaign({ ...usualGoal, mostMs }, () => {});
  for (const line of describeReport(report)) say(line);
  const [first, ...others] = failing.values();
  if (first === undefined) return { ...noTests, passed: 1 };
  for (const { violations } of [first, ...others]) say(`found: ${violations.join('; ')}`);
  await tellShrunk(first.seed, shrinkWithinMs, say);
  return { ...noTests, failed: 1 };
}
