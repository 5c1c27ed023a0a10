/** Runs scenarios one after the other in one world, and in a new one after a run that could not be measured. */

import { FailoverWorld } from '../lab/failover/failover-world.ts';
import { measureRun, type RunFigures } from '../lab/failover/measure-run.ts';
import type { Scenario } from '../lab/failover/scenario.ts';
import type { FailoverRuns } from './failover-runs.ts';

export interface Wanted {
  readonly scenario: Scenario;
  /** Of runs. */
  readonly count: number;
}

type Say = (text: string) => void;

/** Of a run, with getting ready for it, unless the scenario says otherwise. */
const usualSeconds = 6;
/** In a scenario; then it is given up, and what was measured of it stands. */
const mostFailures = 3;

export async function measureScenarios(
  wanted: readonly Wanted[],
  runs: FailoverRuns,
  say: Say,
): Promise<void> {
  const todo = wanted.filter(({ count }) => count > 0);
  if (todo.length === 0) return;
  const total = todo.reduce((sum, { count }) => sum + count, 0);
  say(`scenarios: ${todo.length}, runs: ${total}, minutes: about ${minutesOf(todo)}`);
  await using stage = new Stage(say);
  for (const [index, { scenario, count }] of todo.entries()) {
    await measureScenario(stage, scenario, count, runs, say);
    const left = todo.slice(index + 1);
    if (left.length > 0) say(`scenarios left: ${left.length}, minutes: about ${minutesOf(left)}`);
  }
  if (stage.spoiled > 0) say(`runs that could not be measured, see above: ${stage.spoiled}`);
}

function minutesOf(wanted: readonly Wanted[]): number {
  const seconds = wanted.map(({ scenario, count }) => count * (scenario.seconds ?? usualSeconds));
  return Math.ceil(seconds.reduce((sum, each) => sum + each, 20) / 60);
}

/** The world that runs are made in. */
class Stage implements AsyncDisposable {
  /** How often it had to be given up. */
  spoiled = 0;
  readonly #say: Say;
  #world: FailoverWorld | undefined;

  constructor(say: Say) {
    this.#say = say;
  }

  async world(): Promise<FailoverWorld> {
    if (this.#world !== undefined) return this.#world;
    const world = await FailoverWorld.open();
    this.#say(`forwarding: ${world.cluster.forwarding}`);
    this.#world = world;
    return world;
  }

  /** The next one will be new. */
  async giveUp(): Promise<void> {
    this.spoiled += 1;
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const world = this.#world;
    this.#world = undefined;
    await world?.[Symbol.asyncDispose]();
  }
}

async function measureScenario(
  stage: Stage,
  scenario: Scenario,
  count: number,
  runs: FailoverRuns,
  say: Say,
): Promise<void> {
  const { name } = scenario;
  let failures = 0;
  for (let run = 1; run <= count && failures < mostFailures; ) {
    const startedAt = performance.now();
    try {
      const figures = await measureRun(await stage.world(), scenario);
      runs.add(name, figures);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      say(`${name}, run ${run} of ${count} (${seconds} s): ${figures.map(describe).join('; ')}`);
      run += 1;
    } catch (error) {
      failures += 1;
      say(`${name}, run ${run} of ${count}: could not be measured, ${String(error)}`);
      await stage.giveUp();
    }
  }
}

function describe({ family, outageMs, lost, broken, twoHoldersMs, moves }: RunFigures): string {
  const two = `two holders ${Math.round(twoHoldersMs)} ms`;
  return `${family} outage ${outageMs} ms, lost ${lost}, broken ${broken}, ${two}, moves ${moves}`;
}
