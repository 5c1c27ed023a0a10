/** The real allocator, in this process or as a child, as tests start, watch and end it. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { renderKubeconfig } from '../../lab/control-plane/kubeconfig.ts';
import { eventually } from '../../lab/eventually.ts';
import type { AllocatorOptions } from '../../src/allocator/allocator-options.ts';
import { type RunningProgram, startProgram } from '../../src/allocator/allocator-program.ts';
import { printState } from '../../src/program/print-state.ts';
import { Lateness } from '../../src/runtime/lateness.ts';
import { Lifecycle } from '../../src/runtime/lifecycle.ts';
import { Log } from '../../src/runtime/log.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { allocatorUser, installNamespace, type WorldServer } from './allocator-world.ts';

export interface TestAllocator {
  readonly port: number;
  /** JSON lines of its log. */
  readonly lines: readonly string[];
  stop(): Promise<void>;
  /** The body of the answer. */
  read(path: string): Promise<string>;
  /** What `allocator state` prints. */
  state(): Promise<string>;
}

const usual: AllocatorOptions = {
  host: '127.0.0.1',
  port: 0,
  stateSocket: '',
  kubeconfig: undefined,
  namespace: installNamespace,
  logLevel: 'debug',
  isDefaultAnnouncer: true,
  isElecting: true,
  leaseName: 'purelb-allocator',
  leaseDurationMs: 2_000,
  netboxToken: '',
};

/** In this process, over real connections. */
export async function startHere(
  world: { readonly apiServer: Parameters<typeof startProgram>[0]['apiServer'] },
  options: Partial<AllocatorOptions> = {},
): Promise<TestAllocator & RunningProgram> {
  const clock = new SystemClock();
  const lines: string[] = [];
  const log = Log.create({ level: 'debug', sink: (line) => lines.push(line) });
  const process = { onSignal: () => {}, onFault: () => {}, exit: () => {} };
  const lifecycle = new Lifecycle({ log, clock, process });
  let program: RunningProgram | undefined;
  const folder = mkdtempSync(join(tmpdir(), 'purelb-allocator-'));
  lifecycle.onStop('folder', () => rmSync(folder, { recursive: true }));
  const stateSocket = join(folder, 'state.sock');
  await lifecycle.run(async () => {
    const random = Math.random;
    const { apiServer } = world;
    const all = { ...usual, stateSocket, ...options };
    const lateness = new Lateness();
    const setup = { apiServer, clock, lateness, random, log, lifecycle };
    program = await startProgram({ options: all, ...setup });
  });
  if (program === undefined) throw new Error(`the allocator did not start:\n${lines.join('\n')}`);
  const { port, allocator } = program;
  const read = (path: string) => readFrom(port, path);
  const state = () => readState(stateSocket);
  return { port, allocator, lines, read, state, stop: () => lifecycle.stop('the test is over') };
}

export interface Program {
  /** What Node is started with, before the allocator's own flags. */
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** It finds the API server as in a pod, and needs no kubeconfig. */
  readonly isInPod?: boolean;
}

const fromSource: Program = {
  argv: [new URL('../../src/allocator/main.ts', import.meta.url).pathname],
};

/** As a process of its own, which can be paused and killed. */
export class ChildAllocator implements TestAllocator {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #dir: string;
  #port = 0;

  static async start(
    server: WorldServer,
    args: readonly string[] = [],
    program: Program = fromSource,
  ): Promise<ChildAllocator> {
    const allocator = new ChildAllocator(server, args, program);
    await eventually(() => allocator.#findPort(), { withinMs: 10_000 });
    return allocator;
  }

  private constructor(server: WorldServer, args: readonly string[], program: Program) {
    this.#dir = mkdtempSync(join(tmpdir(), 'purelb-allocator-'));
    const kubeconfig = join(this.#dir, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigFor(server));
    const found = program.isInPod === true ? [] : ['--kubeconfig', kubeconfig];
    const told = [
      ...[...found, '--namespace', installNamespace, '--port', '0'],
      ...['--state-socket', this.#stateSocket],
    ];
    const { PATH } = process.env;
    this.#child = spawn(process.execPath, [...program.argv, ...told, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH, DEFAULT_ANNOUNCER: 'PureLB', ...program.env },
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.lines.push(...text.split('\n').filter((line) => line !== ''));
    });
  }

  get port(): number {
    return this.#port;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  #findPort(): void {
    const line = this.lines.find((each) => each.includes('"msg":"Started"'));
    if (line === undefined) throw new Error(`not started:\n${this.lines.join('\n')}`);
    this.#port = (JSON.parse(line) as { port: number }).port;
  }

  read(path: string): Promise<string> {
    return readFrom(this.#port, path);
  }

  get #stateSocket(): string {
    return join(this.#dir, 'state.sock');
  }

  state(): Promise<string> {
    return readState(this.#stateSocket);
  }

  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** In good order; resolves to the exit code. */
  async end(): Promise<number | null> {
    return this.#kill('SIGTERM');
  }

  async stop(): Promise<void> {
    await this.#kill('SIGTERM');
  }

  async crash(): Promise<void> {
    await this.#kill('SIGKILL');
  }

  async #kill(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit');
      this.#child.kill('SIGCONT');
      this.#child.kill(signal);
      await exited;
    }
    rmSync(this.#dir, { recursive: true, force: true });
    return this.#child.exitCode;
  }
}

function kubeconfigFor({ url, ca, allocatorToken }: WorldServer): string {
  const credentials = { token: allocatorToken };
  return renderKubeconfig({ url, ca: ca ?? '', user: allocatorUser, credentials });
}

async function readState(defaultSocket: string): Promise<string> {
  const out = new PassThrough();
  const told = { name: 'allocator', defaultSocket, args: [], env: {}, out, err: out };
  const [text] = await Promise.all([
    readText(out),
    printState(told).then((code) => {
      out.end();
      assert.equal(code, 0);
    }),
  ]);
  return text;
}

async function readFrom(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return response.text();
}
