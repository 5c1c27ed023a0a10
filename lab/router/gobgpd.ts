/** A gobgpd in the lab: beside an agent on a node, or as the router itself. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binaryPath } from '../control-plane/binaries.ts';
import { eventually } from '../eventually.ts';
import { HostProcess } from '../process/host-process.ts';

export interface GobgpdPlace {
  /** The command that leads onto the host; empty: here. */
  readonly entry?: readonly string[];
}

/** Its socket stays the same over restarts. */
export class Gobgpd implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'purelb-gobgpd-'));
  readonly #entry: readonly string[];
  #process: HostProcess | undefined;

  static async start({ entry = [] }: GobgpdPlace = {}): Promise<Gobgpd> {
    const daemon = new Gobgpd(entry);
    await daemon.start();
    return daemon;
  }

  private constructor(entry: readonly string[]) {
    this.#entry = entry;
  }

  get socket(): string {
    return join(this.#folder, 'gobgp.sock');
  }

  get endpoint(): string {
    return `unix://${this.socket}`;
  }

  get process(): HostProcess {
    if (this.#process === undefined) throw new Error('gobgpd does not run');
    return this.#process;
  }

  async start(): Promise<void> {
    rmSync(this.socket, { force: true });
    this.#process = await HostProcess.start(
      this.#entry,
      [
        binaryPath('gobgpd'),
        `--api-hosts=${this.endpoint}`,
        '--pprof-disable',
        '--metrics-path=',
        '-p',
      ],
      { ready: /gobgpd started/, readyWithinMs: 20_000 },
    );
    // It says so before it listens.
    await eventually(() => assert.ok(existsSync(this.socket)), { withinMs: 20_000, everyMs: 5 });
  }

  /** The kernel closes its connections; neighbours hear nothing else. */
  async kill(): Promise<void> {
    await this.#process?.kill();
    this.#process = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
