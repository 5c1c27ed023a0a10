/** What routers have in common, whatever their programs are: a folder of files, and processes that come and go. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import type { Host } from '../network/host.ts';
import type { HostProcess } from '../process/host-process.ts';
import { type Router, type RouterOptions, spreadByPorts } from './router.ts';

export abstract class RouterPrograms implements Router {
  readonly host: Host;
  protected options: RouterOptions;
  readonly #folder: string;
  #processes: HostProcess[] = [];

  protected static async open<R extends RouterPrograms>(router: R): Promise<R> {
    await spreadByPorts(router.host);
    await router.start();
    return router;
  }

  protected constructor(options: RouterOptions, name: string) {
    this.host = options.host;
    this.options = options;
    this.#folder = mkdtempSync(join(tmpdir(), `purelb-${name}-`));
  }

  abstract start(): Promise<void>;
  abstract show(command: string): Promise<string>;
  abstract neighbours(): Promise<readonly string[]>;
  abstract reset(): Promise<void>;

  async restart(other: Partial<RouterOptions>): Promise<void> {
    await this.kill();
    this.options = { ...this.options, ...other };
    await this.start();
  }

  async kill(): Promise<void> {
    await Promise.all(this.#processes.map((each) => each.kill()));
    this.#processes = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A file of its own. */
  protected path(name = ''): string {
    return join(this.#folder, name);
  }

  /** Resolves when the program answers. */
  protected async launch(
    argv: readonly string[],
    answers: () => Promise<unknown>,
  ): Promise<HostProcess> {
    const started = await this.host.start(argv);
    this.#processes.push(started);
    await eventually(answers, { withinMs: 20_000, everyMs: 50 });
    return started;
  }
}
