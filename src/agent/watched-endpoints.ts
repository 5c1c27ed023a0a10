/** EndpointSlices, watched only while some Service needs them: memory and API load follow need. */

import {
  type EndpointHistory,
  type SettledEndpoints,
  settleEndpoints,
} from '../decide/announcement/settle-endpoints.ts';
import { Reflector } from '../kube/reflector.ts';
import { endpointSlices } from '../kube/resources.ts';
import { Store } from '../kube/store.ts';
import type { WatchSetup } from '../kube/watch-set.ts';
import { nodesWithEndpoints } from '../model/service-endpoints.ts';
import { type KnownSlice, knowSlice } from './known-objects.ts';

/** A Service that changes to and fro must not cost a list each time. */
const lingerMs = 60_000;

interface Watch {
  readonly store: Store<KnownSlice>;
  readonly reflector: Reflector<KnownSlice>;
  readonly stopping: AbortController;
}

export class WatchedEndpoints {
  readonly #setup: WatchSetup;
  readonly #onChange: () => void;
  #watch: Watch | undefined;
  #neededAt = -Infinity;
  #history: EndpointHistory | undefined;

  constructor(setup: WatchSetup, onChange: () => void) {
    this.#setup = setup;
    this.#onChange = onChange;
  }

  get isWatching(): boolean {
    return this.#watch !== undefined;
  }

  /** Starts and stops watching as needed; undefined while they are not known. */
  look(isNeeded: boolean): SettledEndpoints | undefined {
    const now = this.#setup.clock.monotonic();
    if (isNeeded) this.#neededAt = now;
    if (isNeeded && this.#watch === undefined) this.#watch = this.#start();
    if (now - this.#neededAt >= lingerMs) this.stop();
    if (this.#watch?.reflector.isSynced !== true) return undefined;
    const slices = [...this.#watch.store.values()].flatMap(({ value }) => value ?? []);
    const settled = settleEndpoints(nodesWithEndpoints(slices), this.#history, now);
    this.#history = settled.history;
    return settled;
  }

  stop(): void {
    this.#watch?.stopping.abort();
    this.#watch = undefined;
    this.#history = undefined;
  }

  #start(): Watch {
    const { cluster, clock, random, observe, onListenerError } = this.#setup;
    const store = new Store({ project: knowSlice, onListenerError });
    store.subscribe((_key, before, after) => {
      if (before?.essence !== after?.essence) this.#onChange();
    });
    const reflector = new Reflector({
      cluster,
      resource: endpointSlices,
      store,
      clock,
      random,
      observe: (observation) => observe(endpointSlices.plural, observation),
    });
    const stopping = new AbortController();
    void reflector.run(stopping.signal);
    void reflector.whenSynced().then(() => this.#onChange());
    return { store, reflector, stopping };
  }
}
