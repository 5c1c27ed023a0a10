/**
 * The Services that concern us, as a list in which each stays where it is: whoever compares it with the one before sees
 * at once which of ten thousand are others now.
 */

import type { Store } from '../kube/store.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { KnownService } from './known-service.ts';

export class KnownBalancers {
  readonly #all: LoadBalancer[] = [];
  readonly #indexes = new Map<string, number>();

  constructor(services: Pick<Store<KnownService>, 'subscribe'>) {
    services.subscribe((key, _, after) => {
      if (after?.balancer === undefined) this.#remove(key);
      else this.#put(key, after.balancer);
    });
  }

  get all(): readonly LoadBalancer[] {
    return this.#all;
  }

  /** Where a Service is in the list, by its key. */
  indexOf(key: string): number | undefined {
    return this.#indexes.get(key);
  }

  #put(key: string, balancer: LoadBalancer): void {
    const index = this.#indexes.get(key) ?? this.#all.length;
    this.#all[index] = balancer;
    this.#indexes.set(key, index);
  }

  /** The last one takes its place. */
  #remove(key: string): void {
    const index = this.#indexes.get(key);
    if (index === undefined) return;
    const last = this.#all.pop();
    this.#indexes.delete(key);
    if (last === undefined || last.key === key) return;
    this.#all[index] = last;
    this.#indexes.set(last.key, index);
  }
}
