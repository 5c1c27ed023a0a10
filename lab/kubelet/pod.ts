import type { Prefix } from '../../src/model/prefix.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { Container } from './container.ts';
import type { ContainerEvent } from './container-events.ts';
import type { ContainerReading } from './container-reading.ts';
import { makePodNetwork, type PodNetwork } from './pod-network.ts';
import type { PodFacts } from './pod-status.ts';
import type { ContainerWish, PodWish } from './pod-wish.ts';

export interface PodOptions {
  readonly wish: PodWish;
  readonly node: { readonly name: string; readonly ips: readonly string[] };
  readonly number: number;
  readonly subnets: readonly Prefix[];
  /** How often each container had been started again before this kubelet knew it. */
  readonly restarts: Readonly<Record<string, number>>;
  readonly clock: Clock;
  readonly onChange: () => void;
  readonly onEvent: (event: ContainerEvent) => void;
}

/** A pod on this node, from its network to its end. */
export class Pod {
  readonly wish: PodWish;
  readonly number: number;
  readonly #options: PodOptions;
  readonly #startedAt: number;
  readonly #ready: Promise<void>;
  #network: PodNetwork | undefined;
  #containers: readonly Container[] = [];
  #trouble: string | undefined;
  #end: Promise<void> | undefined;
  #isOver = false;

  constructor(options: PodOptions) {
    this.wish = options.wish;
    this.number = options.number;
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#ready = this.#begin();
  }

  /** All its processes have ended for good. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Of the process that holds its network. */
  get pid(): number | undefined {
    return this.#network?.pid;
  }

  get ips(): readonly string[] {
    if (this.wish.isHostNetwork) return this.#options.node.ips;
    return this.#network?.ips ?? [];
  }

  get facts(): PodFacts {
    return {
      startedAt: this.#startedAt,
      ips: this.ips,
      hostIps: this.#options.node.ips,
      containers: this.#readings(),
      restartPolicy: this.wish.restartPolicy,
    };
  }

  container(name: string): Container | undefined {
    return this.#containers.find((each) => each.name === name || name === '');
  }

  /** Resolves when nothing of it is left; called again, it waits for the same end. */
  async stop(graceMs: number): Promise<void> {
    this.#end ??= this.#finish(graceMs);
    await this.#end;
  }

  async #begin(): Promise<void> {
    try {
      const { number, subnets } = this.#options;
      if (!this.wish.isHostNetwork) this.#network = await makePodNetwork({ number, subnets });
      if (this.#end !== undefined) return;
      this.#containers = this.wish.containers.map((each) => this.#make(each));
      for (const container of this.#containers) container.start();
    } catch (error) {
      this.#trouble = error instanceof Error ? error.message : String(error);
      this.#options.onChange();
    }
  }

  #make(wish: ContainerWish): Container {
    const { node, clock, onChange, onEvent, restarts } = this.#options;
    return new Container({
      wish,
      pod: this.wish.name,
      restartPolicy: this.wish.restartPolicy,
      entry: this.#network?.entry ?? [],
      env: { HOSTNAME: this.wish.name, NODE_NAME: node.name, POD_NAMESPACE: this.wish.namespace },
      ip: this.ips[0] ?? '127.0.0.1',
      clock,
      restartCount: restarts[wish.name] ?? 0,
      onChange,
      onEvent,
    });
  }

  async #finish(graceMs: number): Promise<void> {
    await this.#ready;
    await Promise.all(this.#containers.map((each) => each.stop(graceMs)));
    await this.#network?.remove();
    this.#isOver = true;
    this.#options.onChange();
  }

  #readings(): readonly ContainerReading[] {
    if (this.#containers.length > 0) return this.#containers.map(({ reading }) => reading);
    const message = this.#trouble;
    return this.wish.containers.map(({ name, image }) => ({
      name,
      image,
      state: {
        kind: 'waiting',
        reason: 'ContainerCreating',
        ...(message === undefined ? {} : { message }),
      },
      restartCount: 0,
      isReady: false,
    }));
  }
}
