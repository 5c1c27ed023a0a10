/** What clients notice of everything that can happen: scenario by scenario, a thousand packets a second. */

import { ensureBinaries } from '../lab/control-plane/binaries.ts';
import { FailoverWorld } from '../lab/failover/failover-world.ts';
import { measureRun, type RunFigures } from '../lab/failover/measure-run.ts';
import type { Scenario } from '../lab/failover/scenario.ts';
import { longScenarios, scenarios } from '../lab/failover/scenarios.ts';
import { renderTable } from '../lab/table.ts';
import type { Bench, BenchOptions, BenchReport } from './bench-report.ts';
import { quantile } from './quantile.ts';

const usualRuns = { quick: 20, slow: 5 };

export const failover: Bench = {
  name: 'failover',
  description:
    'outage, packets lost, connections broken, two holders, by scenario (--runs, --only, --long)',
  async prepare(log) {
    for (const problem of await ensureBinaries(['kube-proxy'], log)) {
      log(`${problem}: the lab's own forwarder is used`);
    }
  },
  async run(report, options) {
    await using world = await FailoverWorld.open();
    report.note(`forwarding: ${world.cluster.forwarding}; odd runs IPv4, even runs IPv6`);
    const lines: string[][] = [];
    for (const scenario of choose(options)) {
      const figures = await measureScenario(world, scenario, options, report);
      lines.push(summarize(scenario, figures));
      addRows(report, scenario, figures);
    }
    const columns = headings.map((title, index) => ({ title, isRight: index > 0 }));
    for (const line of renderTable(columns, lines).trimEnd().split('\n')) report.note(line);
  },
};

function choose({ only, isLong }: BenchOptions): readonly Scenario[] {
  const all = isLong ? [...scenarios, ...longScenarios] : scenarios;
  const chosen = only === undefined ? all : all.filter(({ name }) => name.includes(only));
  if (chosen.length > 0) return chosen;
  const names = all.map(({ name }) => name).join(', ');
  throw new RangeError(`no scenario has "${only}" in its name; there are: ${names}`);
}

async function measureScenario(
  world: FailoverWorld,
  scenario: Scenario,
  { runs }: BenchOptions,
  report: BenchReport,
): Promise<readonly RunFigures[]> {
  const count = runs ?? (scenario.isSlow === true ? usualRuns.slow : usualRuns.quick);
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

const headings = [
  'scenario',
  'runs',
  'outage p50',
  'p99 (ms)',
  'lost, most',
  'TCP broken of 10, most',
  'two holders, most (ms)',
  'moves, most',
  'all moved within (ms)',
];

function summarize({ name }: Scenario, figures: readonly RunFigures[]): string[] {
  const outages = figures.map(({ outageMs }) => outageMs);
  const most = (pick: (figure: RunFigures) => number) => Math.round(Math.max(...figures.map(pick)));
  return [
    name,
    String(figures.length),
    String(quantile(outages, 0.5)),
    String(quantile(outages, 0.99)),
    String(most(({ lost }) => lost)),
    String(most(({ broken }) => broken)),
    String(most(({ twoHoldersMs }) => twoHoldersMs)),
    String(most(({ moves }) => moves)),
    String(most(({ spreadMs }) => spreadMs)),
  ];
}

interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly share: number;
  readonly of: (figures: RunFigures) => number;
  readonly target?: (limits: Scenario['limits']) => number | undefined;
}

const told: readonly Figure[] = [
  { what: 'outage p50', unit: 'ms', share: 0.5, of: ({ outageMs }) => outageMs },
  {
    what: 'outage p99',
    unit: 'ms',
    share: 0.99,
    of: ({ outageMs }) => outageMs,
    target: ({ outageMs }) => outageMs,
  },
  { what: 'most lost', unit: '', share: 1, of: ({ lost }) => lost, target: ({ lost }) => lost },
  {
    what: 'two holders, longest',
    unit: 'ms',
    share: 1,
    of: ({ twoHoldersMs }) => twoHoldersMs,
    target: ({ twoHoldersMs }) => twoHoldersMs,
  },
  {
    what: 'most moves',
    unit: '',
    share: 1,
    of: ({ moves }) => moves,
    target: ({ moves }) => moves,
  },
  {
    what: 'first to last address',
    unit: 'ms',
    share: 1,
    of: ({ spreadMs }) => spreadMs,
    target: ({ spreadMs }) => spreadMs,
  },
];

function addRows(
  report: BenchReport,
  { name, limits }: Scenario,
  figures: readonly RunFigures[],
): void {
  for (const { what, unit, share, of, target } of told) {
    const goal = target?.(limits);
    report.row({
      name: `${name}: ${what}`,
      value: Math.round(quantile(figures.map(of), share)),
      unit,
      ...(goal === undefined ? {} : { target: goal }),
      better: 'lower',
    });
  }
}
