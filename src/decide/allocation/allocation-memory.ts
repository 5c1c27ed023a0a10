/**
 * What earlier plans found out about Services that have not changed since. A plan is the same with or without it, only
 * sooner: of ten thousand Services most hold what they should, and nothing happened to them.
 */

import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import type { ServiceDecision } from './allocation-plan.ts';
import type { AllocationSettings, AllocationState } from './allocation-state.ts';
import type { Claimant } from './claimant.ts';
import { Places } from './place.ts';
import type { Outcome } from './serve.ts';

/** A Service that has what it asks for, and nothing to be told. */
export interface Settled {
  readonly outcome: Outcome;
  readonly decision: ServiceDecision;
}

export class AllocationMemory {
  #frame: Frame | undefined;
  #claimants = new WeakMap<LoadBalancer, Claimant>();
  #settled = new WeakMap<Claimant, Settled>();

  /** The places of this plan, with nobody on them. Forgets all if pools, settings or a namespace's labels changed. */
  open(state: AllocationState): Places {
    if (this.#frame === undefined || !isSameFrame(this.#frame, state)) {
      this.#claimants = new WeakMap();
      this.#settled = new WeakMap();
      this.#frame = { ...frameOf(state), places: new Places(state.pools) };
    } else {
      this.#frame.places.clear();
      this.#frame = { ...frameOf(state), places: this.#frame.places };
    }
    return this.#frame.places;
  }

  claimantOf(service: LoadBalancer, find: (service: LoadBalancer) => Claimant): Claimant {
    const known = this.#claimants.get(service);
    if (known !== undefined) return known;
    const claimant = find(service);
    this.#claimants.set(service, claimant);
    return claimant;
  }

  settled(claimant: Claimant): Settled | undefined {
    return this.#settled.get(claimant);
  }

  keep(claimant: Claimant, settled: Settled): void {
    this.#settled.set(claimant, settled);
  }
}

/** What a Service's place and fate depend on, beside itself. */
interface Frame extends Pick<AllocationState, 'namespaces' | 'settings'> {
  readonly pools: readonly Pool[];
  readonly places: Places;
}

function frameOf({ pools: { pools }, namespaces, settings }: AllocationState) {
  return { pools, namespaces, settings };
}

function isSameFrame(frame: Frame, { pools: { pools }, namespaces, settings }: AllocationState) {
  return (
    isSameSettings(frame.settings, settings) &&
    isSameLabels(frame.namespaces, namespaces) &&
    frame.pools.length === pools.length &&
    frame.pools.every((pool, index) => isSamePool(pool, pools[index]))
  );
}

function isSameSettings(left: AllocationSettings, right: AllocationSettings): boolean {
  return (
    left.isDefaultAnnouncer === right.isDefaultAnnouncer &&
    left.convergesUnasked === right.convergesUnasked &&
    left.classes.join() === right.classes.join()
  );
}

/** A namespace that was not known had no Service that could be remembered. */
function isSameLabels(before: Frame['namespaces'], now: Frame['namespaces']): boolean {
  return [...now].every(([name, labels]) => (before.get(name) ?? labels) === labels);
}

/** A group's status changes with each allocation; its spec only with its generation. */
function isSamePool(left: Pool, right: Pool | undefined): boolean {
  if (left === right) return true;
  const { uid, generation } = left.identity;
  const isTracked = uid !== '' && generation > 0;
  return isTracked && uid === right?.identity.uid && generation === right.identity.generation;
}
