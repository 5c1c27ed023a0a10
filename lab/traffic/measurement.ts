import { join } from 'node:path';
import type { Host } from '../network/host.ts';
import type { HostProcess } from '../process/host-process.ts';

/** A program on a host that measures until it is told to stop, and then reports. */
export class Measurement<Progress, Report> implements AsyncDisposable {
  /** For freezing, thawing and killing it. */
  readonly process: HostProcess;
  #progress: Progress;

  /** Starts `lab/traffic/FILE`; resolves when it says that it is ready. */
  static async start<Progress, Report>(
    host: Host,
    file: string,
    config: unknown,
    initially: Progress,
  ): Promise<Measurement<Progress, Report>> {
    const argv = [process.execPath, join(import.meta.dirname, file), JSON.stringify(config)];
    const started = await host.start(argv, { ready: /^\{"ready"/ });
    return new Measurement(started, initially);
  }

  private constructor(started: HostProcess, initially: Progress) {
    this.process = started;
    this.#progress = initially;
    started.onLine(({ text }) => {
      if (text.startsWith('{"progress"')) this.#progress = JSON.parse(text).progress as Progress;
    });
  }

  /** As of at most a tenth of a second ago. */
  get progress(): Progress {
    return this.#progress;
  }

  /** Waits for the end that its options set. */
  async finish(withinMs = 60_000): Promise<Report> {
    const line = await this.process.line(/^\{"report"/, withinMs);
    await this.process.exited;
    return JSON.parse(line).report as Report;
  }

  /** Ends it now. */
  async stop(): Promise<Report> {
    if (!this.process.hasExited) process.kill(this.process.pid, 'SIGTERM');
    return this.finish(10_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process.kill();
  }
}
