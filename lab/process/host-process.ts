import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../monotonic.ts';

export interface StartOptions {
  /** Matched against each line of output; the start is over when one fits. */
  readonly ready?: RegExp;
  readonly readyWithinMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Also write all output to this file. */
  readonly logFile?: string;
}

export interface OutputLine {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const mostLinesKept = 20_000;
const lastWordsMs = 100;

/**
 * A program on a host. It leads a process group that is ended together with it, and it dies with this process, even by
 * SIGKILL. Daemons that it leaves behind when it ends by itself live on until the lab is taken down.
 */
export class HostProcess implements AsyncDisposable {
  readonly argv: readonly string[];
  readonly pid: number;
  /** Resolves when the program has ended, for whatever reason. */
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #options: StartOptions;
  readonly #lines: OutputLine[] = [];
  readonly #listeners = new Set<(line: OutputLine) => void>();
  #exit: Exit | undefined;
  /** Told to end: not one that becomes a daemon, whose child has yet to leave the group. */
  #isUnwanted = false;

  /** Starts `argv` behind `entry`, the command that leads into the host, and waits until it is ready. */
  static async start(
    entry: readonly string[],
    argv: readonly string[],
    options: StartOptions = {},
  ): Promise<HostProcess> {
    const started = new HostProcess(entry, argv, options);
    await started.becomeReady();
    return started;
  }

  /** Starts the program; whether that worked shows in `becomeReady`. */
  constructor(entry: readonly string[], argv: readonly string[], options: StartOptions = {}) {
    const [command = '', ...args] = ['setpriv', '--pdeathsig', 'KILL', ...entry, ...argv];
    const child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    if (child.pid === undefined) {
      child.once('error', () => {});
      throw new Error(`cannot run \`${command}\` for \`${argv.join(' ')}\``);
    }
    this.argv = argv;
    this.pid = child.pid;
    this.#child = child;
    this.#options = options;
    const log = options.logFile === undefined ? undefined : createWriteStream(options.logFile);
    this.#read('stdout', log);
    this.#read('stderr', log);
    this.exited = this.#end().finally(() => log?.end());
  }

  /** Waits for the line that its options name; a program that does not come up is killed. */
  async becomeReady(): Promise<void> {
    const { ready, readyWithinMs } = this.#options;
    if (ready === undefined) return;
    try {
      await this.line(ready, readyWithinMs);
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  get hasExited(): boolean {
    return this.#exit !== undefined;
  }

  /** The latest lines of output, oldest first. */
  get lines(): readonly OutputLine[] {
    return this.#lines;
  }

  onLine(listener: (line: OutputLine) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The first line that fits, already printed or yet to come. */
  async line(pattern: RegExp, withinMs = 5000): Promise<string> {
    const printed = this.#lines.find(({ text }) => pattern.test(text));
    if (printed !== undefined) return printed.text;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const stopListening = this.onLine(({ text }) => pattern.test(text) && resolve(text));
    const fail = (why: string) => reject(new Error(this.#describe(`${why} before ${pattern}`)));
    const timer = setTimeout(() => fail(`${withinMs} ms passed`), withinMs);
    void this.exited.then(({ code, signal }) => fail(`it ended (${signal ?? code})`));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      stopListening();
    }
  }

  /** To the whole group. */
  signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** SIGSTOP: the program stands still, its host's kernel goes on answering. */
  freeze(): void {
    this.signal('SIGSTOP');
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  async kill(): Promise<Exit> {
    this.#isUnwanted = true;
    if (!this.hasExited) this.signal('SIGKILL');
    return this.exited;
  }

  /** SIGTERM, and SIGKILL for a program that has not ended by then. */
  async stop(withinMs = 5000): Promise<Exit> {
    this.#isUnwanted = true;
    if (!this.hasExited) process.kill(this.pid, 'SIGTERM');
    const patience = new AbortController();
    const ended = this.exited.finally(() => patience.abort());
    const isLate = sleep(withinMs, true, { signal: patience.signal }).catch(() => false);
    if (await isLate) this.signal('SIGKILL');
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #end(): Promise<Exit> {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    this.#child.once('close', () => close());
    const exit = await new Promise<Exit>((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#exit = { code, signal };
        // What is left of the group. Its number cannot be anyone else's while it has members.
        if (this.#isUnwanted) this.signal('SIGKILL');
        resolve(this.#exit);
      });
    });
    // Its last words; a daemon that it left behind may keep them open for ever.
    await Promise.race([closed, sleep(lastWordsMs)]);
    return exit;
  }

  #read(stream: 'stdout' | 'stderr', log: WriteStream | undefined): void {
    const source = this.#child[stream];
    if (source === null) return;
    createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (text) => {
      const line = { at: monotonicMs(), stream, text };
      this.#lines.push(line);
      if (this.#lines.length > mostLinesKept) this.#lines.shift();
      if (log?.writable) log.write(`${text}\n`);
      for (const listener of this.#listeners) listener(line);
    });
  }

  #describe(what: string): string {
    const last = this.#lines.slice(-10).map(({ text }) => `\n  | ${text}`);
    return `\`${this.argv.join(' ')}\`: ${what}${last.length === 0 ? ', without output' : last.join('')}`;
  }
}
