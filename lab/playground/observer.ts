/** Puts together what the API server, the kernels and the client say. */

import { endpointSlices, nodes, pods, services } from '../../src/kube/resources.ts';
import type { Store } from '../../src/kube/store.ts';
import { WatchSet } from '../../src/kube/watch-set.ts';
import type { Ip } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import type { LabCluster } from '../cluster/lab-cluster.ts';
import { tallyRequests } from './api-activity.ts';
import type { ActivityFacts, ClusterFacts, NodeFacts, TrafficFacts } from './cluster-facts.ts';
import { readEndpoints, readNode, readService, type ServiceReading } from './read-objects.ts';

export interface ObserverSetup {
  readonly cluster: LabCluster;
  readonly clock: Clock;
  readonly traffic: () => readonly TrafficFacts[];
  readonly activity: () => readonly ActivityFacts[];
  readonly onChange: () => void;
}

export class Observer {
  readonly #setup: ObserverSetup;
  readonly #watches: WatchSet;
  readonly #services: Store;
  readonly #nodes: Store;
  readonly #pods: Store;
  readonly #slices: Store;
  readonly #stopping = new AbortController();
  #undo: readonly (() => void)[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(setup: ObserverSetup) {
    const { cluster, clock } = setup;
    this.#setup = setup;
    this.#watches = new WatchSet({
      cluster: cluster.cluster,
      clock,
      random: Math.random,
      observe: () => {},
      onListenerError: () => {},
    });
    const whole = (object: KubeObject) => object;
    this.#services = this.#watches.add(services, whole);
    this.#nodes = this.#watches.add(nodes, whole);
    this.#pods = this.#watches.add(pods, whole);
    this.#slices = this.#watches.add(endpointSlices, whole);
  }

  async start(): Promise<void> {
    const { cluster, onChange } = this.#setup;
    const stores = [this.#services, this.#nodes, this.#pods, this.#slices];
    this.#undo = [cluster.subscribe(onChange), ...stores.map((store) => store.subscribe(onChange))];
    this.#running = this.#watches.run(this.#stopping.signal);
    await this.#watches.whenSynced();
  }

  async stop(): Promise<void> {
    for (const undo of this.#undo) undo();
    this.#stopping.abort();
    await this.#running;
  }

  get facts(): ClusterFacts {
    const { cluster, traffic, activity } = this.#setup;
    const endpoints = readEndpoints([...this.#slices.values()]);
    return {
      nodes: cluster.nodes.map((state) => this.#describeNode(state)),
      services: this.services.map((service) => ({
        ...service,
        endpoints: endpoints.get(service.key) ?? 0,
      })),
      traffic: traffic(),
      api: {
        kind: cluster.api.embedded === undefined ? 'real' : 'embedded',
        isUp: !cluster.isApiAway,
        writes: countWrites(cluster),
      },
      router: cluster.routerView,
      activity: activity(),
    };
  }

  /** Load balancers, by name. */
  get services(): readonly ServiceReading[] {
    const found = [...this.#services.values()].map(readService);
    return found
      .filter(({ type }) => type === 'LoadBalancer')
      .sort((left, right) => (left.key < right.key ? -1 : 1));
  }

  /** Addresses that take packets, by their port; of those that share one, the first's. */
  get ports(): ReadonlyMap<Ip, number> {
    const found = new Map<Ip, number>();
    for (const { ips, port } of this.services.toReversed()) {
      for (const ip of ips) if (port !== undefined) found.set(ip, port);
    }
    return found;
  }

  #describeNode({ name, lan, power, link, agent }: LabCluster['nodes'][number]): NodeFacts {
    const { cluster } = this.#setup;
    const object = this.#nodes.get(name);
    const isHere = ({ spec, status }: KubeObject) =>
      (spec as { nodeName?: string }).nodeName === name &&
      (status as { phase?: string } | undefined)?.phase === 'Running';
    return {
      name,
      lan,
      ip: cluster.lab.host(name).ipv4,
      power,
      cable: link === 'up' ? 'in' : 'out',
      agent: agent === 'stopped' ? 'gone' : agent,
      ...readNode(object),
      pods: [...this.#pods.values()].filter(isHere).length,
      holds: cluster.addresses
        .filter(({ node }) => node === name)
        .map(({ ip, link: on }) => ({ ip, link: on })),
    };
  }
}

/** By the programs of PureLB, so far; undefined where nobody counts. */
function countWrites({ api }: LabCluster): number | undefined {
  const counts = api.embedded?.audit.counts();
  if (counts === undefined) return undefined;
  const { renewals = 0, writes = 0 } = tallyRequests(counts);
  return renewals + writes;
}
