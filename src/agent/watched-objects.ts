/** Everything that the agent watches in the cluster. */

import type { Cluster, Selection } from '../kube/cluster.ts';
import { Reflector } from '../kube/reflector.ts';
import type { ReflectorObservation } from '../kube/reflector-observation.ts';
import type { Resource } from '../kube/resource.ts';
import { lbNodeAgents, leases, nodes, serviceGroups, services } from '../kube/resources.ts';
import { Store } from '../kube/store.ts';
import type { KubeObject } from '../model/kube-object.ts';
import type { Clock } from '../runtime/clock.ts';
import {
  type KnownGroup,
  type KnownLease,
  type KnownNode,
  type KnownOffer,
  type KnownService,
  knowGroup,
  knowLease,
  knowNode,
  knowOffer,
  knowService,
} from './known-objects.ts';

export interface WatchSetup {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  readonly installNamespace: string;
  readonly observe: (what: string, observation: ReflectorObservation) => void;
  readonly onListenerError: (error: unknown) => void;
}

export class WatchedObjects {
  readonly services: Store<KnownService>;
  readonly groups: Store<KnownGroup>;
  readonly offers: Store<KnownOffer>;
  readonly nodes: Store<KnownNode>;
  readonly leases: Store<KnownLease>;
  readonly #setup: WatchSetup;
  readonly #reflectors: { readonly name: string; readonly reflector: Reflector }[] = [];

  constructor(setup: WatchSetup) {
    this.#setup = setup;
    const { installNamespace: namespace, onListenerError } = setup;
    this.services = new Store({ project: knowService, onListenerError });
    this.groups = new Store({ project: knowGroup, onListenerError });
    this.offers = new Store({ project: knowOffer, onListenerError });
    this.nodes = new Store({ project: knowNode, onListenerError });
    this.leases = new Store({ project: knowLease, onListenerError });
    this.#watch(services, this.services);
    this.#watch(serviceGroups, this.groups);
    this.#watch(lbNodeAgents, this.offers);
    this.#watch(nodes, this.nodes);
    this.#watch(leases, this.leases, { namespace });
  }

  #watch<T extends KubeObject>(resource: Resource, store: Store<T>, selection: Selection = {}) {
    const { cluster, clock, random, observe } = this.#setup;
    const name = resource.plural;
    const reflector = new Reflector({
      cluster,
      resource,
      store,
      clock,
      random,
      selection,
      observe: (observation) => observe(name, observation),
    });
    this.#reflectors.push({ name, reflector: reflector as unknown as Reflector });
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#reflectors.map(({ reflector }) => reflector.run(signal)));
  }

  async whenSynced(): Promise<void> {
    await Promise.all(this.#reflectors.map(({ reflector }) => reflector.whenSynced()));
  }

  /** What has never been read whole so far. */
  get unsynced(): readonly string[] {
    return this.#reflectors.filter(({ reflector }) => !reflector.isSynced).map(({ name }) => name);
  }

  /** Calls `onChange` when something changed by which anything is decided; undone by the returned function. */
  onChange(listener: () => void): () => void {
    const stores = [this.services, this.groups, this.offers, this.nodes, this.leases] as const;
    const undo = stores.map((store) =>
      store.subscribe((_key: string, before?: Essential, after?: Essential) => {
        if (before?.essence !== after?.essence) listener();
      }),
    );
    return () => {
      for (const each of undo) each();
    };
  }
}

type Essential = { readonly essence: string };
