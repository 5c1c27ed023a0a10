import type { Cluster } from '../../src/kube/cluster.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import type { Resource } from '../../src/kube/resource.ts';
import { endpointSlices, services } from '../../src/kube/resources.ts';
import { Store } from '../../src/kube/store.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { Reconciler } from '../../src/runtime/reconciler.ts';
import { run } from '../process/run.ts';
import { forgetConnections } from './forget-connections.ts';
import { type ForwardedEndpoint, type ForwardedPort, forwardedPorts } from './forwarded-port.ts';
import { renderRuleset } from './ruleset.ts';

export interface ForwarderOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  readonly node: string;
  readonly podCidrs: readonly string[];
  readonly onError: (error: unknown) => void;
}

const firstMark = 2;

/** Stands in for kube-proxy on the node that this process runs on. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #services = new Store();
  readonly #slices = new Store();
  readonly #reflectors: readonly Reflector[];
  readonly #reconciler: Reconciler<'rules'>;
  readonly #marks = new Map<string, number>();
  #applied = '';
  #udp = { entrances: new Set<string>(), endpoints: new Set<number>() };

  constructor(options: ForwarderOptions) {
    const { cluster, clock, random, onError } = options;
    this.#options = options;
    const reflect = (resource: Resource, store: Store) =>
      new Reflector({ cluster, resource, store, clock, random });
    this.#reflectors = [reflect(services, this.#services), reflect(endpointSlices, this.#slices)];
    this.#reconciler = new Reconciler({
      clock,
      random,
      reconcile: async () => {
        await this.#apply();
        return {};
      },
      onError: ({ error }) => onError(error),
    });
  }

  /** Until the signal is aborted. The rules stay. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#reconciler.wake('rules');
    const running = this.#reflectors.map((reflector) => reflector.run(signal));
    await Promise.all(this.#reflectors.map((reflector) => reflector.whenSynced()));
    for (const store of [this.#services, this.#slices]) store.subscribe(wake);
    wake();
    await Promise.all(running);
    await this.#reconciler.stop();
  }

  async #apply(): Promise<void> {
    const { node, podCidrs } = this.#options;
    const ports = forwardedPorts(this.#services.values(), this.#slices.values(), node);
    const connectionMark = (endpoint: ForwardedEndpoint) => this.#markOf(endpoint);
    const ruleset = renderRuleset(ports, { podCidrs, connectionMark });
    if (ruleset === this.#applied) return;
    await run(['nft', '-f', '-'], { input: ruleset });
    this.#applied = ruleset;
    this.#forget(ports.filter(({ protocol }) => protocol === 'udp'));
  }

  /** Connections to endpoints that are gone, and those that came before there was anything to forward them to. */
  #forget(ports: readonly ForwardedPort[]): void {
    const before = this.#udp;
    const alive = ports.filter(({ endpoints }) => endpoints.length > 0);
    const entrances = new Set(
      alive.flatMap(({ clusterIps, externalIps, port }) =>
        [...clusterIps, ...externalIps].map((ip) => `${ip} ${port}`),
      ),
    );
    const endpoints = new Set(
      alive.flatMap((port) => port.endpoints.map((it) => this.#markOf(it))),
    );
    this.#udp = { entrances, endpoints };
    for (const mark of before.endpoints.difference(endpoints)) forgetConnections(mark);
    if (!entrances.isSubsetOf(before.entrances)) forgetConnections(0);
  }

  #markOf({ ip, port }: ForwardedEndpoint): number {
    const key = `${ip} ${port}`;
    const mark = this.#marks.get(key) ?? firstMark + this.#marks.size;
    this.#marks.set(key, mark);
    return mark;
  }
}
