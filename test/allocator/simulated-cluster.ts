/** An API server and allocators in one process on a clock that stands still: hours pass in milliseconds, repeatably. */

import { Api } from '../../lab/api/api.ts';
import { FaultyApi } from '../../lab/api/faults/faulty-api.ts';
import { seededIdentities } from '../../lab/api/rest/identities.ts';
import { collectionPath, policyManifests, readManifest } from '../../lab/manifest.ts';
import { Allocator, type AllocatorSetup } from '../../src/allocator/allocator.ts';
import { AllocatorMetrics } from '../../src/allocator/allocator-metrics.ts';
import { EventRecorder } from '../../src/kube/event-recorder.ts';
import { HttpCluster } from '../../src/kube/http-cluster.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { loadBalancerClasses } from '../../src/model/well-known-names.ts';
import { Log } from '../../src/runtime/log.ts';
import { ManualClock } from '../../src/runtime/manual-clock.ts';
import { Metrics } from '../../src/runtime/metrics.ts';
import { allocatorUser, installNamespace } from './allocator-world.ts';
import { MemoryTransport, type MemoryTransportOptions } from './memory-transport.ts';

export interface SimulatedAllocator {
  readonly allocator: Allocator;
  readonly transport: MemoryTransport;
  readonly log: readonly string[];
  /** In good order. */
  stop(): Promise<void>;
  /** At once, without a word to anyone. */
  crash(): Promise<void>;
}

/** `api`: what stands between the allocator and the server, such as an admission hook. */
export type Network = Pick<MemoryTransportOptions, 'fateOf' | 'latencyMs' | 'lagMs'> &
  Partial<Pick<MemoryTransportOptions, 'api'>>;

export class SimulatedCluster {
  readonly clock = new ManualClock();
  readonly api: Api;
  readonly faults: FaultyApi;
  readonly #random: () => number;
  readonly #adminToken: string;
  readonly #allocatorToken: string;
  #started = 0;

  constructor(seed: number) {
    const identities = seededIdentities(seed);
    this.#random = () => identities.pick(2 ** 32) / 2 ** 32;
    this.api = new Api({ clock: this.clock, identities, rbac: true });
    this.faults = new FaultyApi(this.api, this.clock, seed);
    this.#adminToken = this.api.authenticator.issue('admin', ['system:masters']);
    this.#allocatorToken = this.api.authenticator.issue(allocatorUser, []);
    for (const name of [installNamespace, 'shop', 'tenant']) {
      this.send('POST', '/api/v1/namespaces', { metadata: { name } });
    }
    for (const object of manifests) this.send('POST', collectionPath(object), object);
  }

  /** As the administrator; throws what the server refuses. */
  send(method: string, url: string, body?: unknown): KubeObject {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: `Bearer ${this.#adminToken}`, 'content-type': type };
    const text = body === undefined ? '' : JSON.stringify(body);
    const answer = this.api.handle({ method, url, headers, body: text });
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.body}`);
    return JSON.parse(String(answer.body)) as KubeObject;
  }

  list(path: string): readonly KubeObject[] {
    const { items = [] } = this.send('GET', path) as KubeObject & { items?: KubeObject[] };
    return items;
  }

  start(
    network: Network = {},
    more: Partial<Pick<AllocatorSetup, 'openSource' | 'election'>> = {},
  ): SimulatedAllocator {
    this.#started += 1;
    const { clock } = this;
    const token = this.#allocatorToken;
    const transport = new MemoryTransport({ api: this.faults, token, clock, ...network });
    const cluster = new HttpCluster({ transport, clock });
    const random = this.#random;
    const log: string[] = [];
    const reporter = { controller: 'purelb-allocator', instance: 'simulated' };
    const events = new EventRecorder({ cluster, clock, random, ...reporter });
    const allocator = new Allocator({
      cluster,
      clock,
      random,
      log: Log.create({ level: 'debug', sink: (line) => log.push(line), now: () => clock.now() }),
      metrics: new AllocatorMetrics(new Metrics(() => {})),
      events,
      installNamespace,
      settings: { classes: loadBalancerClasses, isDefaultAnnouncer: true, convergesUnasked: false },
      election: {
        namespace: installNamespace,
        leaseName: 'purelb-allocator',
        identity: `allocator-${this.#started}`,
        durationMs: 2_000,
      },
      ...more,
    });
    const stopping = new AbortController();
    const running = allocator.run(stopping.signal);
    const end = async () => {
      stopping.abort();
      await this.clock.advance(20_000);
      await running;
      await this.clock.settle();
    };
    return {
      allocator,
      transport,
      log,
      stop: end,
      crash: async () => {
        transport.die();
        await end();
      },
    };
  }
}

/** Requests overlap, and now and then a watch is seconds behind. `below` picks a number. */
export function slowNetwork(below: (limit: number) => number): Network {
  return {
    latencyMs: () => below(60),
    lagMs: () => (below(40) === 0 ? below(8_000) : below(100)),
  };
}

const installed = ['crds/purelb.io_servicegroups', 'rbac/allocator', ...policyManifests];
const manifests = installed.flatMap(readManifest);
