/** `npm run bench -- NAME [NAME …] [--json]`: measures, side by side in one run, inside the sandbox. */

import { parseArgs } from 'node:util';
import { isInSandbox, runInSandbox, sandboxObstacle } from '../lab/sandbox.ts';
import { installMissing } from '../scripts/system-packages.ts';
import { agent } from './agent.ts';
import { agentPass } from './agent-pass.ts';
import { allocator } from './allocator.ts';
import { allocatorPlan } from './allocator-plan.ts';
import {
  type Bench,
  type BenchOptions,
  type BenchRow,
  renderJson,
  renderTable,
} from './bench-report.ts';
import { bgp } from './bgp.ts';
import { cost } from './cost.ts';
import { everyday } from './everyday.ts';
import { failover } from './failover.ts';
import { flood } from './flood.ts';
import { garp } from './garp.ts';
import { ipam } from './ipam.ts';
import { kube } from './kube.ts';
import { netlink } from './netlink.ts';
import { scale } from './scale.ts';

const benches: readonly Bench[] = [
  netlink,
  garp,
  kube,
  allocator,
  allocatorPlan,
  ipam,
  agent,
  agentPass,
  everyday,
  failover,
  flood,
  bgp,
  cost,
  scale,
];

const say = (text: string) => process.stdout.write(`${text}\n`);

function usage(problem?: string): never {
  const list = benches.map(({ name, description }) => `  ${name.padEnd(12)}${description}`);
  const text = [
    'usage: npm run bench -- NAME [NAME …] [--json] [--runs N] [--only TEXT] [--into FILE] [--long]',
    ...list,
    '  all',
  ];
  process.stderr.write(`${[...(problem === undefined ? [] : [problem]), ...text].join('\n')}\n`);
  process.exit(2);
}

function chosenBenches(names: readonly string[]): readonly Bench[] {
  if (names.length === 0) usage();
  if (names.includes('all')) return benches;
  return names.map(
    (name) => benches.find((bench) => bench.name === name) ?? usage(`no bench is called "${name}"`),
  );
}

async function measure(bench: Bench, options: BenchOptions): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  say(`\n${bench.name}: ${bench.description}`);
  await bench.run({ row: (row) => rows.push(row), note: (text) => say(`  ${text}`) }, options);
  say(`\n${renderTable(rows)}`);
  return rows;
}

function readOptions(values: {
  readonly runs?: string | undefined;
  readonly only?: string | undefined;
  readonly into?: string | undefined;
  readonly long: boolean;
}): BenchOptions {
  const { runs, only, into, long: isLong } = values;
  if (runs !== undefined && !/^[1-9]\d{0,3}$/.test(runs))
    usage(`--runs takes a number, not "${runs}"`);
  return {
    isLong,
    ...(runs === undefined ? {} : { runs: Number(runs) }),
    ...(only === undefined ? {} : { only }),
    ...(into === undefined ? {} : { into }),
  };
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      runs: { type: 'string' },
      only: { type: 'string' },
      into: { type: 'string' },
      long: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const chosen = chosenBenches(positionals);
  if (!isInSandbox()) {
    const obstacle = sandboxObstacle();
    if (obstacle !== undefined) usage(`cannot measure here: ${obstacle}`);
    const absent = installMissing(['ip', 'tcpdump'], say);
    if (absent.length > 0) usage(`cannot measure without ${absent.join(', ')}`);
    for (const bench of chosen) await bench.prepare?.(say);
    return runInSandbox(import.meta.filename, process.argv.slice(2));
  }
  for (const bench of chosen) {
    const rows = await measure(bench, readOptions(values));
    if (values.json) say(renderJson(bench.name, rows));
  }
  return 0;
}

process.exitCode = await main();
