/** Our Kubernetes client beside the public one: the same Services, the same changes, each in a fresh process. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Bench, BenchReport } from './bench-report.ts';
import type { ClientReport, ClientTask } from './kube-client.ts';
import { quantile } from './quantile.ts';

const publicPackage = '@kubernetes/client-node';
const publicVersion = '2.0.1';
const root = new URL('..', import.meta.url).pathname;
const runs = 3;

/**
 * As the product's images start the agent: a small nursery, and no second optimising compiler, whose code and work
 * take 6 MB for little in a program that mostly waits.
 */
const shippedFlags = ['--max-semi-space-size=1', '--no-opt'];
const shippedEnvironment = { MALLOC_ARENA_MAX: '1' };

export const kube: Bench = {
  name: 'kube',
  description:
    '10,000 Services and 50,000 changes, beside the public client; a storm of faults; memory',
  async prepare(log) {
    const dir = publicDir();
    if (existsSync(join(dir, 'node_modules', publicPackage, 'package.json'))) return;
    log(`installing ${publicPackage}@${publicVersion} into ${dir} …`);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'package.json'), '{"private":true}');
    const wanted = `${publicPackage}@${publicVersion}`;
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', wanted];
    const { status } = spawnSync('npm', args, { cwd: dir, stdio: 'ignore', timeout: 300_000 });
    if (status !== 0) log(`npm could not install ${wanted}: its column will be missing`);
  },
  async run(report) {
    const scratch = mkdtempSync(join(tmpdir(), 'bench-kube-'));
    try {
      const own = bundle(scratch);
      await compare(own, scratch, report);
      await measureIdle(own, scratch, report);
      await measureStorm(own, scratch, report);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
};

function publicDir(): string {
  const { XDG_CACHE_HOME: cache = join(homedir(), '.cache') } = process.env;
  return join(cache, 'purelb', 'bench', `client-node-${publicVersion}`);
}

/**
 * One file, as in the image. CommonJS, since an ES module that imports a built-in makes all of its exports, also those
 * that load half of Node: 4 MB for node:fs, 14 MB for node:http (measured on Node 24).
 */
function bundle(scratch: string): string {
  const out = join(scratch, 'own-client.cjs');
  const flags = [
    '--bundle',
    '--platform=node',
    '--format=cjs',
    '--external:yaml',
    `--outfile=${out}`,
  ];
  const esbuild = join(root, 'node_modules/.bin/esbuild');
  execFileSync(esbuild, [join(root, 'bench/kube-own-client.ts'), ...flags, '--log-level=error']);
  return out;
}

async function compare(own: string, scratch: string, report: BenchReport): Promise<void> {
  const load = { services: 10_000, events: 50_000, idleMs: 0, isStorm: false };
  const library = join(publicDir(), 'node_modules', publicPackage, 'dist/index.js');
  const hasPublic = existsSync(library);
  if (!hasPublic) report.note(`${publicPackage} is not installed: its column is missing`);
  const ours: ClientReport[] = [];
  const theirs: ClientReport[] = [];
  for (let run = 0; run < runs; run += 1) {
    ours.push(await measure(ownCommand(own), load, scratch));
    if (hasPublic) theirs.push(await measure(publicCommand(library), load, scratch));
  }
  for (const [who, reports] of [['ours', ours] as const, ['public', theirs] as const]) {
    for (const each of reports) report.note(`${who}: ${describe(each)}`);
  }
  const median = (reports: readonly ClientReport[], of: 'cpuMs' | 'peakRssMb') =>
    quantile(
      reports.map((each) => each[of]),
      0.5,
    );
  const lost = ours.reduce((sum, { events }) => sum + load.events - events, 0);
  report.row({ name: 'CPU, ours', value: median(ours, 'cpuMs'), unit: 'ms', better: 'lower' });
  report.row({
    name: 'peak RSS, ours',
    value: median(ours, 'peakRssMb'),
    unit: 'MB',
    better: 'lower',
  });
  if (hasPublic) {
    const ratio = (of: 'cpuMs' | 'peakRssMb') => median(ours, of) / median(theirs, of);
    const shared = { unit: '×', better: 'lower' } as const;
    report.row({ name: 'CPU ÷ public client', value: ratio('cpuMs'), target: 0.5, ...shared });
    report.row({
      name: 'peak RSS ÷ public client',
      value: ratio('peakRssMb'),
      target: 0.4,
      ...shared,
    });
  }
  report.row({ name: 'changes lost', value: lost, unit: '', target: 0, better: 'lower' });
}

async function measureIdle(own: string, scratch: string, report: BenchReport): Promise<void> {
  const load = { services: 10_000, events: 0, idleMs: 10_000, isStorm: false };
  const { idleRssMb } = await measure(ownCommand(own), load, scratch);
  const name = 'idle RSS with 10,000 Services';
  report.row({ name, value: idleRssMb, unit: 'MB', target: 75, better: 'lower' });
}

async function measureStorm(own: string, scratch: string, report: BenchReport): Promise<void> {
  const load = { services: 500, events: 20_000, idleMs: 0, isStorm: true };
  const storm = await measure(ownCommand(own), load, scratch);
  report.note(`storm: ${describe(storm)}`);
  const shared = { unit: '', target: 0, better: 'lower' } as const;
  report.row({ name: 'storm: Services not up to date at the end', value: storm.stale, ...shared });
  report.row({ name: 'storm: changes out of order', value: storm.reordered, ...shared });
}

interface Command {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly more: readonly string[];
}

function ownCommand(file: string): Command {
  return { argv: [...shippedFlags, file], env: shippedEnvironment, more: [] };
}

function publicCommand(library: string): Command {
  const file = join(root, 'bench/kube-public-client.ts');
  return { argv: [file], env: {}, more: [pathToFileURL(library).href] };
}

type Load = Pick<ClientTask, 'services' | 'events' | 'idleMs' | 'isStorm'>;

/** Server and client are new processes for each measurement: nothing is left over from the one before. */
async function measure(command: Command, load: Load, scratch: string): Promise<ClientReport> {
  const caFile = join(scratch, 'ca.crt');
  const mode = load.isStorm ? 'storm' : 'calm';
  const serverFile = join(root, 'bench/kube-server.ts');
  const server = spawn(process.execPath, [serverFile, caFile, String(load.services), mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [port] = (await once(server.stdout, 'data')) as [Buffer];
    const task: ClientTask = {
      server: `https://127.0.0.1:${String(port).trim()}`,
      caFile,
      ...load,
    };
    return await runClient(command, task);
  } finally {
    server.stdin.end();
    await once(server, 'exit');
  }
}

async function runClient({ argv, env, more }: Command, task: ClientTask): Promise<ClientReport> {
  const client = spawn(process.execPath, [...argv, JSON.stringify(task), ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
    timeout: 300_000,
  });
  let text = '';
  client.stdout.on('data', (chunk: Buffer) => {
    text += String(chunk);
  });
  const [code] = (await once(client, 'close')) as [number | null];
  if (code !== 0) throw new Error(`a client ended with ${code}: ${text}`);
  return JSON.parse(text) as ClientReport;
}

function describe({ events, cpuMs, listCpuMs, peakRssMb, reordered, stale }: ClientReport): string {
  const cpu = `${Math.round(cpuMs)} ms CPU (list ${Math.round(listCpuMs)})`;
  return `${events} events, ${cpu}, peak ${Math.round(peakRssMb)} MB, ${reordered} out of order, ${stale} stale`;
}
