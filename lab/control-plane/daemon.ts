import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface DaemonOptions {
  /** The command that leads into the namespace where it is to run, such as `ip netns exec NAME`. */
  readonly prefix?: readonly string[];
  /** All it says is appended here. */
  readonly logFile: string;
}

/** A program that did not start, did not become ready, or ended by itself; tells what it said last. */
export class DaemonError extends Error {
  override readonly name = 'DaemonError';
  readonly code = 'DAEMON_FAILED';

  constructor(what: string, logFile: string) {
    super(`${what}; the end of ${logFile}:\n${lastLines(logFile)}`);
  }
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
}

/** A server that runs beside the tests, writes to a log file and dies with this process, even by SIGKILL. */
export class Daemon {
  readonly name: string;
  readonly logFile: string;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;

  static async start(argv: readonly string[], options: DaemonOptions): Promise<Daemon> {
    const log = openSync(options.logFile, 'a');
    const args = ['--pdeathsig', 'KILL', ...(options.prefix ?? []), ...argv];
    const child = spawn('setpriv', args, { stdio: ['ignore', log, log] });
    closeSync(log);
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    return new Daemon(argv[0] ?? '', child, options.logFile);
  }

  private constructor(path: string, child: ChildProcess, logFile: string) {
    if (child.pid === undefined) throw new Error(`${path} has no process id`);
    this.name = path.replace(/.*\//, '');
    this.logFile = logFile;
    this.pid = child.pid;
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resident memory in bytes. */
  get memory(): number {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(this.#read('status')) ?? [];
    return Number(kilobytes) * 1024;
  }

  /** Resolves when `isReady` does to true; throws when the daemon ends before, or the time is up. */
  async whenReady(isReady: () => Promise<boolean>, withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (!(await isReady().catch(() => false))) {
      if (!this.isRunning) throw new DaemonError(`${this.name} ended`, this.logFile);
      if (performance.now() > deadline)
        throw new DaemonError(`${this.name} is not ready after ${withinMs} ms`, this.logFile);
      await sleep(20);
    }
  }

  /** Stands still from when this resolves: its sockets stay open, the kernel accepts connections, nobody answers. */
  async freeze(): Promise<void> {
    this.#child.kill('SIGSTOP');
    while (this.isRunning && !/^\d+ \(.*\) T/.test(this.#read('stat'))) await sleep(1);
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  /** At once, as a crash would: what the lab runs keeps nothing that is worth an orderly end. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #read(file: string): string {
    return readFileSync(`/proc/${this.pid}/${file}`, 'utf8');
  }
}
