/** Many histories, in several processes, until there were enough faults and hours, or the time is up. */

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import type { Traits } from './fault-plan.ts';
import {
  addMeasurements,
  type Distribution,
  distributionOf,
  distributionsByCause,
  type Measurements,
  noMeasurements,
} from './measurements.ts';

export interface CampaignGoal {
  readonly faults: number;
  readonly clusterHours: number;
  /** Of real time. */
  readonly mostMs: number;
}

/** What a child says of each history. */
export interface PartReport {
  readonly seed: number;
  readonly traits: Traits;
  readonly violations: readonly string[];
  readonly measurements: Measurements;
}

export interface CampaignReport {
  readonly violations: number;
  readonly failingSeeds: readonly number[];
  readonly faults: number;
  readonly clusterHours: number;
  readonly probedHours: number;
  readonly histories: number;
  readonly seconds: number;
  readonly faultsPerSecond: number;
  readonly probedHoursPerSecond: number;
  readonly clusterHoursPerSecond: number;
  readonly moves: number;
  /** At a packet every 10 ms and address. */
  readonly packetsLost: number;
  readonly outages: Distribution;
  readonly outagesByCause: Readonly<Record<string, Distribution>>;
  readonly twoHolders: Distribution;
  readonly twoHoldersByCause: Readonly<Record<string, Distribution>>;
  readonly injected: Readonly<Record<string, number>>;
}

/** Of one history. */
export type Failure = Pick<PartReport, 'seed' | 'traits' | 'violations'>;

export interface Progress {
  readonly sum: Measurements;
  readonly histories: number;
  readonly failing: ReadonlyMap<number, Failure>;
}

export interface CampaignOutcome {
  readonly report: CampaignReport;
  readonly failing: Progress['failing'];
  /** Whose histories ran to their end. */
  readonly seeds: ReadonlySet<number>;
}

const partFile = new URL('simulate-part.ts', import.meta.url).pathname;
const pingMs = 10;

export async function runCampaign(
  goal: CampaignGoal,
  onProgress: (progress: Progress) => void,
  firstSeed = 1,
): Promise<CampaignOutcome> {
  const startedAt = performance.now();
  const sum = noMeasurements();
  const failing = new Map<number, Failure>();
  const seeds = new Set<number>();
  const progress = { sum, histories: 0, failing };
  const parts = Math.min(2, availableParallelism());
  const isDone = () => {
    const hours = (sum.fullMs + sum.elidedMs) / 3_600_000;
    const isEnough = sum.faults >= goal.faults && hours >= goal.clusterHours;
    return isEnough || performance.now() - startedAt > goal.mostMs;
  };
  const take = ({ seed, traits, violations, measurements }: PartReport) => {
    addMeasurements(sum, measurements);
    progress.histories += 1;
    seeds.add(seed);
    if (violations.length > 0) failing.set(seed, { seed, traits, violations });
    onProgress(progress);
  };
  const numbers = Array.from({ length: parts }, (_, part) => firstSeed + part);
  await Promise.all(numbers.map((seed) => runPart(seed, parts, take, isDone)));
  return { report: summarize(progress, performance.now() - startedAt), failing, seeds };
}

/** A child takes every so-many-th seed, and is ended when there were enough. */
async function runPart(
  firstSeed: number,
  step: number,
  take: (report: PartReport) => void,
  isDone: () => boolean,
): Promise<void> {
  const child = spawn(process.execPath, [partFile, `${firstSeed}`, `${step}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise<void>((resolve) => {
    child.on('close', () => resolve());
  });
  for await (const line of createInterface({ input: child.stdout })) {
    take(JSON.parse(line) as PartReport);
    if (isDone()) break;
  }
  const { exitCode } = child;
  child.kill();
  await closed;
  if (exitCode !== null && !isDone()) throw new Error(`a simulation ended with code ${exitCode}`);
}

function summarize({ sum, histories, failing }: Progress, ms: number): CampaignReport {
  const hours = (sum.fullMs + sum.elidedMs) / 3_600_000;
  const seconds = ms / 1000;
  const lostMs = sum.outages.reduce((total, outage) => total + outage.ms, 0);
  return {
    violations: [...failing.values()].reduce(
      (total, { violations }) => total + violations.length,
      0,
    ),
    failingSeeds: [...failing.keys()].sort((left, right) => left - right),
    faults: sum.faults,
    clusterHours: round(hours),
    probedHours: round(sum.fullMs / 3_600_000),
    histories,
    seconds: round(seconds),
    faultsPerSecond: round(sum.faults / seconds),
    clusterHoursPerSecond: round(hours / seconds),
    probedHoursPerSecond: Math.round(sum.fullMs / 3_600 / seconds) / 1000,
    moves: sum.moves,
    packetsLost: Math.round(lostMs / pingMs),
    outages: distributionOf(sum.outages.map((outage) => outage.ms)),
    outagesByCause: distributionsByCause(sum.outages),
    twoHolders: distributionOf(sum.overlaps.map((overlap) => overlap.ms)),
    twoHoldersByCause: distributionsByCause(sum.overlaps),
    injected: sum.injected,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
