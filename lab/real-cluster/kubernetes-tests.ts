/** Kubernetes' own end-to-end tests, run as the programs that they are against a real cluster with PureLB. */

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { binaryPath } from '../control-plane/binaries.ts';
import { attempt } from '../process/run.ts';
import { lanesOf, matching, type Outcome, readOutcomes, type Spec } from './spec-report.ts';

export interface KubernetesTestsOptions {
  readonly kubeconfig: string;
  /** Regular expression (RE2) over the names of the tests. */
  readonly focus: string;
  /** Tests that run at the same time; most of their time is spent waiting. */
  readonly atOnce: number;
  /** For reports and what the tests print. */
  readonly folder: string;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** A rolling update of the suite takes a quarter of an hour by itself. */
const longestTestMs = 40 * 60_000;

/** Each test is a process of its own, so that several can run at the same time. */
export async function runKubernetesTests(
  options: KubernetesTestsOptions,
): Promise<readonly Outcome[]> {
  const lanes = lanesOf(await listTests(options)).entries();
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (const [index, lane] of lanes) {
      const name = `${index + 1}`.padStart(2, '0');
      for (const outcome of await runLane(options, lane, name)) {
        outcomes.push(outcome);
        options.onOutcome(outcome);
      }
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, work));
  return outcomes;
}

async function listTests(options: KubernetesTestsOptions): Promise<readonly Spec[]> {
  mkdirSync(options.folder, { recursive: true });
  const report = join(options.folder, 'list.json');
  const flags = ['--ginkgo.dry-run', `--ginkgo.focus=${options.focus}`];
  const argv = [...commandOf(options, report), ...flags];
  const { status, stdout, stderr } = await attempt(argv, { timeoutMs: 60_000 });
  if (status !== 0) throw new Error(`cannot list the tests: ${stderr || stdout}`);
  const specs = readOutcomes(readFileSync(report, 'utf8'));
  if (specs.length === 0) throw new Error(`no test matches ${options.focus}`);
  return specs;
}

async function runLane(
  options: KubernetesTestsOptions,
  lane: readonly Spec[],
  name: string,
): Promise<readonly Outcome[]> {
  const report = join(options.folder, `${name}.json`);
  const log = join(options.folder, `${name}.log`);
  await logged([...commandOf(options, report), ...lane.map(matching)], log);
  const outcomes = readOutcomes(readFileSync(report, 'utf8'));
  return outcomes.map((outcome) => ({ ...outcome, log }));
}

function commandOf({ kubeconfig }: KubernetesTestsOptions, report: string) {
  return [
    binaryPath('load-balancers'),
    '--provider=skeleton',
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${binaryPath('kubectl')}`,
    `--ginkgo.json-report=${report}`,
    '--ginkgo.no-color',
    '--ginkgo.v',
    `--ginkgo.timeout=${longestTestMs}ms`,
  ];
}

/** Whether it ended well is in the report. */
async function logged(argv: readonly string[], log: string): Promise<void> {
  const [command = '', ...args] = argv;
  const descriptor = openSync(log, 'w');
  const child = spawn(command, args, { stdio: ['ignore', descriptor, descriptor] });
  closeSync(descriptor);
  await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
}
