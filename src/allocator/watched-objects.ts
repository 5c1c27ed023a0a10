/** Everything that the allocator watches, kept as far as it is read. */

import type { Cluster, Selection } from '../kube/cluster.ts';
import { Reflector } from '../kube/reflector.ts';
import type { ReflectorObservation } from '../kube/reflector-observation.ts';
import type { Resource } from '../kube/resource.ts';
import { leases, namespaces, serviceGroups, services } from '../kube/resources.ts';
import { Store } from '../kube/store.ts';
import type { KubeObject } from '../model/kube-object.ts';
import type { Clock } from '../runtime/clock.ts';
import {
  type KnownGroup,
  type KnownLease,
  type KnownNamespace,
  knowGroup,
  knowLease,
  knowNamespace,
} from './known-group.ts';
import { type KnownService, serviceProjection } from './known-service.ts';

export interface WatchedObjectsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  /** Where the nodes' Leases are; empty when it is not known. */
  readonly installNamespace: string;
  readonly observe: (what: string, observation: ReflectorObservation) => void;
  readonly onListenerError: (error: unknown) => void;
}

export class WatchedObjects {
  readonly services: Store<KnownService>;
  readonly groups: Store<KnownGroup>;
  readonly namespaces: Store<KnownNamespace>;
  readonly leases: Store<KnownLease>;
  readonly #options: WatchedObjectsOptions;
  readonly #reflectors: Reflector[] = [];
  readonly #names: string[] = [];

  constructor(options: WatchedObjectsOptions) {
    this.#options = options;
    const { installNamespace, onListenerError } = options;
    this.services = new Store({ project: serviceProjection(), onListenerError });
    this.groups = new Store({ project: knowGroup, onListenerError });
    this.namespaces = new Store({ project: knowNamespace, onListenerError });
    this.leases = new Store({ project: knowLease, onListenerError });
    this.#watch(services, this.services);
    this.#watch(serviceGroups, this.groups);
    this.#watch(namespaces, this.namespaces);
    if (installNamespace !== '') {
      this.#watch(leases, this.leases, { namespace: installNamespace });
    }
  }

  #watch<T extends KubeObject>(resource: Resource, store: Store<T>, selection: Selection = {}) {
    const { cluster, clock, random, observe } = this.#options;
    const reflector = new Reflector({
      cluster,
      resource,
      store,
      clock,
      random,
      selection,
      observe: (observation) => observe(resource.plural, observation),
    });
    this.#reflectors.push(reflector as unknown as Reflector);
    this.#names.push(resource.plural);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.run(signal)));
  }

  async whenSynced(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.whenSynced()));
  }

  /** What has never been read whole so far. */
  get unsynced(): readonly string[] {
    return this.#names.filter((_, index) => this.#reflectors[index]?.isSynced !== true);
  }

  /** Milliseconds since the server last told anything about Leases. */
  get leasesSilentMs(): number {
    return this.#reflectors[this.#names.indexOf(leases.plural)]?.silentForMs ?? 0;
  }
}
