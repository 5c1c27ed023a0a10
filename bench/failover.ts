/** What clients notice of everything that can happen: scenario by scenario, a thousand packets a second. */

import { ensureBinaries } from '../lab/control-plane/binaries.ts';
import { FailoverWorld } from '../lab/failover/failover-world.ts';
import { measureRun, type RunFigures } from '../lab/failover/measure-run.ts';
import type { Scenario } from '../lab/failover/scenario.ts';
import {
  longScenarios,
  measured,
  scenariosOfAgents,
  scenariosOfClusters,
  scenariosOfNetworks,
  scenariosOfNodes,
} from '../lab/failover/scenarios.ts';
import { renderTable } from '../lab/table.ts';
import { installMissing, isInstalled } from '../scripts/system-packages.ts';
import type { Bench, BenchOptions, BenchReport } from './bench-report.ts';
import { figureRows, headings, summarize } from './failover-table.ts';

const scenarios = [
  ...scenariosOfNodes(measured),
  ...scenariosOfClusters(measured),
  ...scenariosOfAgents(measured),
  ...scenariosOfNetworks(),
];
const usualRuns = { quick: 20, slow: 5 };

export const failover: Bench = {
  name: 'failover',
  description:
    'outage, packets lost, connections broken, two holders, by scenario (--runs, --only, --long)',
  async prepare(log) {
    installMissing(['nft', 'bridge', 'faketime'], log);
    for (const problem of await ensureBinaries(['kube-proxy'], log)) {
      log(`${problem}: the lab's own forwarder is used`);
    }
  },
  async run(report, options) {
    const chosen = choose(options);
    report.note(`${chosen.length} scenarios, about ${estimate(chosen, options)} minutes`);
    await using world = await FailoverWorld.open();
    report.note(`forwarding: ${world.cluster.forwarding}; odd runs IPv4, even runs IPv6`);
    const lines: (readonly string[])[] = [];
    for (const scenario of chosen) {
      const figures = await measureScenario(world, scenario, options, report);
      lines.push(summarize(scenario, figures));
      for (const row of figureRows(scenario, figures)) report.row(row);
    }
    const columns = headings.map((title, index) => ({ title, isRight: index > 0 && index < 9 }));
    for (const line of renderTable(columns, lines).trimEnd().split('\n')) report.note(line);
    report.note('TCP through an address that moves is reset: what is known of it stays behind.');
  },
};

function choose({ only, isLong }: BenchOptions): readonly Scenario[] {
  const all = isLong ? [...scenarios, ...longScenarios] : scenarios;
  const chosen = only === undefined ? all : all.filter(({ name }) => name.includes(only));
  const possible = chosen.filter(({ needs }) => needs === undefined || isInstalled(needs));
  if (possible.length > 0) return possible;
  const names = all.map(({ name }) => name).join(', ');
  throw new RangeError(`no scenario has "${only}" in its name; there are: ${names}`);
}

/** Of a run, with getting ready for it, unless the scenario says otherwise. */
const usualSeconds = 11;

function estimate(chosen: readonly Scenario[], options: BenchOptions): number {
  const seconds = chosen.map((each) => countRuns(each, options) * (each.seconds ?? usualSeconds));
  return Math.ceil(seconds.reduce((sum, each) => sum + each, 20) / 60);
}

function countRuns({ isSlow = false }: Scenario, { runs }: BenchOptions): number {
  return runs ?? (isSlow ? usualRuns.slow : usualRuns.quick);
}

async function measureScenario(
  world: FailoverWorld,
  scenario: Scenario,
  options: BenchOptions,
  report: BenchReport,
): Promise<readonly RunFigures[]> {
  const count = countRuns(scenario, options);
  const figures: RunFigures[] = [];
  for (let run = 0; run < count; run += 1) {
    const figure = await measureRun(world, scenario, run % 2 === 0 ? 'ipv4' : 'ipv6');
    report.note(`${scenario.name}, run ${run + 1} of ${count}: ${describe(figure)}`);
    figures.push(figure);
  }
  return figures;
}

function describe({ family, outageMs, lost, broken, twoHoldersMs, moves }: RunFigures): string {
  const two = `two holders ${Math.round(twoHoldersMs)} ms`;
  return `${family} outage ${outageMs} ms, lost ${lost}, broken ${broken}, ${two}, moves ${moves}`;
}
