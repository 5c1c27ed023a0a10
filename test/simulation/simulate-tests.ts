/** The campaign of a test run: what it found is told with its seeds; it fails by too much of it. */

import { noTests, type TestCounts } from '../../scripts/test-run.ts';
import { type Failure, runCampaign } from './campaign.ts';
import { causeOf } from './known-violations.ts';
import { describeReport, tellShrunk, usualGoal } from './simulate.ts';

/** Histories that find what is known, for each fault. */
const mostKnown = 1 / 1_000;
/** And what is not: by chance there is always something new, and it is looked into. */
const mostUnknown = 0.1 / 1_000;
const shrinkWithinMs = 60_000;

export async function simulate(mostMs: number, say: (line: string) => void): Promise<TestCounts> {
  const { report, failing } = await runCampaign({ ...usualGoal, mostMs }, () => {});
  for (const line of describeReport(report)) say(line);
  const failures = [...failing.values()];
  for (const failure of failures) say(describe(failure));
  const unknown = failures.filter((failure) => causeOf(failure) === undefined);
  const isRare =
    failures.length <= Math.ceil(report.faults * mostKnown) &&
    unknown.length <= Math.ceil(report.faults * mostUnknown);
  if (!isRare) say(`${failures.length} of ${report.histories} histories fail: too many`);
  const [first = isRare ? undefined : failures[0]] = unknown;
  if (first !== undefined) await tellShrunk(first.seed, shrinkWithinMs, say);
  return { ...noTests, passed: isRare ? 1 : 0, failed: isRare ? 0 : 1 };
}

function describe(failure: Failure): string {
  const cause = causeOf(failure);
  const [first = ''] = failure.violations;
  return cause === undefined
    ? `UNKNOWN: ${failure.violations.join('; ')}`
    : `found: ${first} (${cause})`;
}
