/** A router that is looked at all the time: with whom it has a session, and where its kernel sends packets. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Host } from '../network/host.ts';
import { learntWays, type Router, type RouterOptions } from './router.ts';
import { type RouterKind, startRouter } from './start-router.ts';

/** Sessions are not told by the kernel: they are asked for this often. */
const everyMs = 1000;
/** Routes change in bursts. */
const settleMs = 20;

export interface RouterView {
  readonly kind: RouterKind;
  /** Names of nodes that it has a session with, in the order of the nodes. */
  readonly sessions: readonly string[];
  readonly ways: readonly Way[];
}

/** To which nodes packets for a prefix go. */
export interface Way {
  readonly prefix: string;
  readonly nodes: readonly string[];
}

export interface RouterWatchOptions {
  readonly kind: RouterKind;
  readonly router: RouterOptions;
  readonly nodes: readonly Host[];
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

export class RouterWatch implements AsyncDisposable {
  readonly #options: RouterWatchOptions;
  readonly #ending = new AbortController();
  #router: Router | undefined;
  #sessions: readonly string[] = [];
  #ways: readonly Way[] = [];
  #wake = Promise.withResolvers<void>();
  #running: Promise<void> = Promise.resolve();

  constructor(options: RouterWatchOptions) {
    this.#options = options;
  }

  get view(): RouterView {
    return { kind: this.#options.kind, sessions: this.#sessions, ways: this.#ways };
  }

  async start(): Promise<void> {
    const { kind, router: options } = this.#options;
    const router = await startRouter(kind, options);
    this.#router = router;
    const monitor = await router.host.start(['ip', 'monitor', 'route']);
    monitor.onLine(() => this.#wake.resolve());
    this.#running = this.#run(router);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.#wake.resolve();
    await this.#running;
    await this.#router?.[Symbol.asyncDispose]();
  }

  async #run(router: Router): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers();
      await this.#look(router).catch((error: unknown) => {
        if (!signal.aborted) this.#options.onError(error);
      });
      const wait = sleep(everyMs, undefined, { signal }).catch(() => {});
      await Promise.race([this.#wake.promise, wait]);
      await sleep(settleMs, undefined, { signal }).catch(() => {});
    }
  }

  async #look(router: Router): Promise<void> {
    const [ways, neighbours] = await Promise.all([learntWays(router.host), router.neighbours()]);
    const before = JSON.stringify(this.view);
    this.#sessions = this.#nodesAt(neighbours);
    this.#ways = [...ways].map(([prefix, hops]) => ({ prefix, nodes: this.#nodesAt(hops) }));
    if (JSON.stringify(this.view) !== before) this.#options.onChange();
  }

  #nodesAt(addresses: readonly string[]): readonly string[] {
    const has = (host: Host) =>
      addresses.includes(host.address('ipv4')) || addresses.includes(host.address('ipv6'));
    return this.#options.nodes.filter(has).map(({ name }) => name);
  }
}
