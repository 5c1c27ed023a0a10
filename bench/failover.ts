/** What clients notice of everything that can happen: scenario by scenario, a thousand packets a second. */

import { ensureBinaries } from '../lab/control-plane/binaries.ts';
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
import { measureScenarios } from './failover-measuring.ts';
import { FailoverRuns } from './failover-runs.ts';
import { figureRows, headings, summarize } from './failover-table.ts';

const scenarios = [
  ...scenariosOfNodes(measured),
  ...scenariosOfClusters(measured),
  ...scenariosOfAgents(measured),
  ...scenariosOfNetworks(),
];
/** In each run both families are measured. */
const usualRuns = { quick: 20, slow: 5 };

export const failover: Bench = {
  name: 'failover',
  description:
    'outage, packets lost, connections broken, two holders, by scenario (--runs, --only, --into, --long)',
  async prepare(log) {
    installMissing(['nft', 'bridge', 'faketime'], log);
    for (const problem of await ensureBinaries(['kube-proxy'], log)) {
      log(`${problem}: the lab's own forwarder is used`);
    }
  },
  async run(report, options) {
    const runs = new FailoverRuns(options.into);
    const wanted = choose(options).map((scenario) => ({
      scenario,
      count: Math.max(0, countRuns(scenario, options) - runs.of(scenario.name).length),
    }));
    await measureScenarios(wanted, runs, (text) => report.note(text));
    tell(report, runs);
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

function countRuns({ isSlow }: Scenario, { runs }: BenchOptions): number {
  if (runs !== undefined) return runs;
  return isSlow ? usualRuns.slow : usualRuns.quick;
}

/** Of everything that is kept, also of what was not asked for this time. */
function tell(report: BenchReport, runs: FailoverRuns): void {
  const known = [...scenarios, ...longScenarios].filter(({ name }) => runs.of(name).length > 0);
  for (const scenario of known) {
    for (const row of figureRows(scenario, runs.of(scenario.name))) report.row(row);
  }
  const columns = headings.map((title, index) => ({ title, isRight: index > 0 && index < 10 }));
  const lines = known.map((scenario) => summarize(scenario, runs.of(scenario.name)));
  for (const line of renderTable(columns, lines).trimEnd().split('\n')) report.note(line);
  report.note('In each run IPv4 and IPv6 are measured at once, each by a client of its own.');
  report.note('TCP through an address that moves is reset: what is known of it stays behind.');
}
