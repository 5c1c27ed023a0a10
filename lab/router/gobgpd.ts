/** A gobgpd in the lab: beside an agent on a node, or as the router itself. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binaryPath } from '../control-plane/binaries.ts';
import { eventually } from '../eventually.ts';
import type { Host } from '../network/host.ts';
import { HostProcess, type StartOptions } from '../process/host-process.ts';

export interface GobgpdPlace {
  /** The command that leads onto the host; empty: here. */
  readonly entry?: readonly string[];
  /** Instead of `entry`: it dies with the host. */
  readonly host?: Pick<Host, 'start'>;
  /** It tells metrics of its own, on port 6060 of its host's loopback. */
  readonly hasMetrics?: boolean;
}

/** Its socket stays the same over restarts. */
export class Gobgpd implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'purelb-gobgpd-'));
  readonly #place: GobgpdPlace;
  #process: HostProcess | undefined;

  static async start(place: GobgpdPlace = {}): Promise<Gobgpd> {
    const daemon = new Gobgpd(place);
    await daemon.start();
    return daemon;
  }

  /** Has its socket's name, and runs once it is started. */
  constructor(place: GobgpdPlace) {
    this.#place = place;
  }

  get socket(): string {
    return join(this.#folder, 'gobgp.sock');
  }

  get isRunning(): boolean {
    return this.#process?.hasExited === false;
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
    const { host, entry = [], hasMetrics = false } = this.#place;
    const told = [`--api-hosts=${this.endpoint}`, '--pprof-disable', '-p'];
    const argv = [binaryPath('gobgpd'), ...told, ...(hasMetrics ? [] : ['--metrics-path='])];
    const options: StartOptions = { ready: /gobgpd started/, readyWithinMs: 20_000 };
    this.#process = await (host === undefined
      ? HostProcess.start(entry, argv, options)
      : host.start(argv, options));
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
