/** Several kinds of objects that are watched together, each into its own store. */

import type { KubeObject } from '../model/kube-object.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Cluster, Selection } from './cluster.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorObservation } from './reflector-observation.ts';
import type { Resource } from './resource.ts';
import { Store } from './store.ts';

export interface WatchSetup {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observe: (what: string, observation: ReflectorObservation) => void;
  readonly onListenerError: (error: unknown) => void;
}

export class WatchSet {
  readonly #setup: WatchSetup;
  readonly #reflectors = new Map<string, Reflector>();
  /** Kinds of which the server has told nothing since a watch of them failed. */
  readonly #failing = new Set<string>();

  constructor(setup: WatchSetup) {
    this.#setup = setup;
  }

  /** `project`: what is kept of each object. */
  add<T extends KubeObject>(
    resource: Resource,
    project: (object: KubeObject) => T,
    selection: Selection = {},
  ): Store<T> {
    const { cluster, clock, random, onListenerError } = this.#setup;
    const store = new Store({ project, onListenerError });
    const name = resource.plural;
    const reflector = new Reflector({
      cluster,
      resource,
      store,
      clock,
      random,
      selection,
      observe: (observation) => this.#note(name, observation),
    });
    this.#reflectors.set(name, reflector as unknown as Reflector);
    return store;
  }

  /** The server is in reach again: watches that wait before their next try need not wait much longer. */
  retrySoon(): void {
    for (const reflector of this.#reflectors.values()) reflector.retrySoon();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#reflectors.values()].map((each) => each.run(signal)));
  }

  async whenSynced(): Promise<void> {
    await Promise.all([...this.#reflectors.values()].map((each) => each.whenSynced()));
  }

  /** Kinds that have never been read whole so far. */
  get unsynced(): readonly string[] {
    return [...this.#reflectors].filter(([, { isSynced }]) => !isSynced).map(([name]) => name);
  }

  /** Milliseconds since the server last told anything about this kind; 0 if it is not watched. */
  silentForMs({ plural }: Resource): number {
    return this.#reflectors.get(plural)?.silentForMs ?? 0;
  }

  #note(name: string, observation: ReflectorObservation): void {
    this.#setup.observe(name, observation);
    if (observation.kind === 'failed') this.#failing.add(name);
    const isHeard = observation.kind === 'received' || observation.kind === 'synced';
    if (isHeard && this.#failing.delete(name)) this.retrySoon();
  }
}
