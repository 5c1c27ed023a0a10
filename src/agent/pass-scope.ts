/** What the next pass has to decide about: the Services that something changed for, or all of them. */

import type { Ip } from '../model/ip.ts';
import type { KnownService } from './known-objects.ts';
import { ipsOf, type Scope, type ServiceIndex } from './service-index.ts';

/** What is to be decided about again though nothing changed. */
export interface DueNow {
  readonly ips: readonly Ip[];
  readonly services: readonly string[];
}

export class PassScope {
  readonly #index: Pick<ServiceIndex, 'has' | 'close'>;
  #isWhole = true;
  #services = new Set<string>();
  #ips = new Set<Ip>();

  constructor(index: Pick<ServiceIndex, 'has' | 'close'>) {
    this.#index = index;
  }

  /** Something changed on which every decision may depend. */
  noteAll(): void {
    this.#isWhole = true;
  }

  noteService(
    key: string,
    before: KnownService | undefined,
    after: KnownService | undefined,
  ): void {
    this.#services.add(key);
    for (const ip of [...ipsOf(before), ...ipsOf(after)]) this.#ips.add(ip);
  }

  /** An address that no Service has is a control for others: the answer may decide about any of them. */
  noteAddress(ip: Ip): void {
    if (this.#index.has(ip)) this.#ips.add(ip);
    else this.#isWhole = true;
  }

  /** Nothing was noted since the last pass began. */
  get isEmpty(): boolean {
    return !this.#isWhole && this.#services.size === 0 && this.#ips.size === 0;
  }

  /** Undefined: everything. What is noted from now on is for the pass after. */
  take(due: DueNow): Scope | undefined {
    const scope = this.#isWhole
      ? undefined
      : this.#index.close([...this.#services, ...due.services], [...this.#ips, ...due.ips]);
    this.#isWhole = false;
    this.#services = new Set();
    this.#ips = new Set();
    return scope;
  }
}
