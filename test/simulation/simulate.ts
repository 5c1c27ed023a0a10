/**
 * `npm run simulate -- [--seed N] [--trace] [--json] [--long] [--hours H]`: histories by chance until there were enough,
 * or the one of a seed, as a story if wanted.
 */

import { parseArgs } from 'node:util';
import { type CampaignGoal, type CampaignReport, type Progress, runCampaign } from './campaign.ts';
import { planSeed } from './fault-plan.ts';
import { type HistoryReport, runHistory } from './history.ts';
import { distributionsByCause } from './measurements.ts';
import { shrinkPlan } from './shrink.ts';

const usage = `usage: npm run simulate -- [--seed N] [--trace] [--json] [--long] [--hours H]
  --seed N    the history of this seed alone
  --trace     with --seed: the story of it, with what the agents said
  --json      the last line is one JSON object
  --long      ten times as much, however long it takes
  --hours H   so many hours of cluster life, however long it takes
`;

const shrinkWithinMs = 5 * 60_000;

const say = (text: string) => process.stdout.write(`${text}\n`);

/** What every test run does. */
export const usualGoal: CampaignGoal = {
  faults: 20_000,
  clusterHours: 1_000,
  mostMs: 6 * 60_000,
};

function refuse(problem: string): never {
  process.stderr.write(`${problem}\n${usage}`);
  process.exit(2);
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) refuse(`--${name} takes a number above 0: ${text}`);
  return value;
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string' },
        trace: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        long: { type: 'boolean', default: false },
        hours: { type: 'string' },
      },
    });
    const seed = readNumber('seed', values.seed);
    if (seed !== undefined && !Number.isInteger(seed)) refuse('--seed takes a whole number');
    if (values.trace && seed === undefined) refuse('--trace tells the story of one --seed');
    return { ...values, seed, hours: readNumber('hours', values.hours) };
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** Whether nothing was violated. */
async function runSeed(seed: number, isTold: boolean, isJson: boolean): Promise<boolean> {
  const plan = planSeed(seed);
  const report = await runHistory(plan, { isTold });
  const { violations, measurements } = report;
  const isWell = violations.length === 0;
  if (isTold || !isWell) for (const line of report.story) say(line);
  if (!isWell) await tellShrunk(seed, shrinkWithinMs, say);
  const { outages, overlaps, ...rest } = measurements;
  const summary = { violations: violations.length, seed, ...rest };
  const outagesByCause = distributionsByCause(outages);
  const twoHoldersByCause = distributionsByCause(overlaps);
  if (isJson) say(JSON.stringify({ ...summary, outagesByCause, twoHoldersByCause }));
  else for (const line of describeSeed(report)) say(line);
  return isWell;
}

function describeSeed({ seed, violations, measurements }: HistoryReport): readonly string[] {
  const { faults, fullMs, elidedMs, moves } = measurements;
  const hours = ((fullMs + elidedMs) / 3_600_000).toFixed(1);
  const found = violations.length === 0 ? ['nothing that must not be'] : violations;
  return [`seed ${seed}: ${faults} faults in ${hours} h, ${moves} moves`, ...found];
}

/** The story of as few faults as still make the history of a seed fail. */
export async function tellShrunk(
  seed: number,
  withinMs: number,
  tell: (line: string) => void,
): Promise<void> {
  const fails = async (plan: Parameters<typeof runHistory>[0]) =>
    (await runHistory(plan)).violations.length > 0;
  const shrunk = await shrinkPlan(planSeed(seed), fails, performance.now() + withinMs);
  const count = shrunk.bursts.flatMap(({ faults }) => faults).length;
  tell(`\nas few faults as make it fail (seed ${seed}: ${count} of them):`);
  for (const line of (await runHistory(shrunk)).story) tell(line);
  tell(`all of it, as a story: npm run simulate -- --seed ${seed} --trace`);
}

export function describeProgress({ sum, histories, failing }: Progress): string {
  const hours = Math.round((sum.fullMs + sum.elidedMs) / 3_600_000);
  return `${histories} histories, ${sum.faults} faults, ${hours} h, ${failing.size} violated`;
}

export function describeReport(report: CampaignReport): readonly string[] {
  const { outages, twoHolders } = report;
  const causes = Object.entries(report.outagesByCause).slice(0, 12);
  return [
    `${report.faults} faults over ${report.clusterHours} cluster-hours, ` +
      `${report.probedHours} h of them with every probe, in ${report.seconds} s`,
    `${report.faultsPerSecond} faults and ${report.clusterHoursPerSecond} cluster-hours a second`,
    `outages: ${outages.count}, p50 ${outages.p50}, p99 ${outages.p99}, max ${outages.max} ms; ` +
      `two holders: ${twoHolders.count}, max ${twoHolders.max} ms; ${report.moves} moves`,
    ...causes.map(
      ([cause, { count, p50, p99, max }]) =>
        `  ${cause.padEnd(28)} ${count} × p50 ${p50}, p99 ${p99}, max ${max} ms`,
    ),
  ];
}

async function runMany(goal: CampaignGoal, isJson: boolean): Promise<boolean> {
  let toldAt = 0;
  const { report, failing } = await runCampaign(goal, (progress) => {
    if (performance.now() - toldAt < 10_000) return;
    toldAt = performance.now();
    say(describeProgress(progress));
  });
  for (const line of describeReport(report)) say(line);
  for (const { violations } of failing.values()) say(violations[0] ?? '');
  const [first] = report.failingSeeds;
  if (first !== undefined) await tellShrunk(first, shrinkWithinMs, say);
  if (isJson) say(JSON.stringify(report));
  return report.violations === 0;
}

async function main(): Promise<boolean> {
  const { seed, trace, json, long, hours } = readArguments();
  if (seed !== undefined) return runSeed(seed, trace, json);
  if (hours !== undefined) {
    return runMany({ faults: 0, clusterHours: hours, mostMs: Infinity }, json);
  }
  const { faults, clusterHours } = usualGoal;
  const longGoal = { faults: faults * 10, clusterHours: clusterHours * 10, mostMs: Infinity };
  return runMany(long ? longGoal : usualGoal, json);
}

if (process.argv[1] === import.meta.filename) process.exitCode = (await main()) ? 0 : 1;
