/**
 * Addresses from a Netbox, one at a time. The slot is an idempotency key that Netbox itself enforces: it refuses a
 * second record for it, so that crashes, retries, requests that land late and two leaders come to one address. Every
 * attempt begins with a look at what is there, and what may or may not have been done is looked for, never assumed.
 */

import type { Ip } from '../model/ip.ts';
import type { NetboxSource as NetboxSpec } from '../model/pool.ts';
import { type Backoff, backoffDelay } from '../runtime/backoff.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import {
  type AddressSource,
  type AllocateOutcome,
  type CheckOutcome,
  type FindOutcome,
  failure,
  isFailure,
  type ListOutcome,
  type Order,
  type ReleaseOutcome,
  type Slot,
  type SourceFailure,
  type StatsOutcome,
} from './address-source.ts';
import { adopt } from './netbox-adopt.ts';
import type { NetboxApi } from './netbox-api.ts';
import { NetboxBooks } from './netbox-books.ts';
import { giveBack, release } from './netbox-give-back.ts';
import { listNetbox } from './netbox-list.ts';
import { NetboxLookup, type NetboxTerms } from './netbox-lookup.ts';
import type { NetboxRecord } from './netbox-record.ts';
import { countNetbox } from './netbox-stats.ts';
import { isStep, type Step } from './netbox-step.ts';
import { takeFree, takeReserved, takeWish } from './netbox-take.ts';
import { findWishObstacle } from './netbox-wish.ts';

export interface NetboxSourceOptions {
  readonly api: NetboxApi;
  readonly spec: NetboxSpec;
  readonly pool: string;
  /** What tells this cluster from others; undefined while it is not known. */
  readonly clusterId: () => string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

const mostAttempts = 6;
const pauses: Backoff = { firstMs: 200, factor: 2, longestMs: 3_000, jitter: 0.5 };

export class NetboxSource implements AddressSource {
  readonly #options: NetboxSourceOptions;
  #terms: NetboxTerms | undefined;
  /** A write was refused because there are no custom fields; only then is that known while there are no records. */
  #lacksFields = false;
  #unclearAt: number | undefined;

  constructor(options: NetboxSourceOptions) {
    this.#options = options;
  }

  get unclearAt(): number | undefined {
    return this.#unclearAt;
  }

  close(): void {
    this.#options.api.close();
  }

  async check(signal: AbortSignal): Promise<CheckOutcome> {
    const terms = await this.#lookUp(signal);
    if ('kind' in terms) return terms;
    this.#terms = terms;
    const { version, warnings } = terms;
    return { kind: 'ready', message: `answers (${version})`, warnings };
  }

  async find(slot: Slot, signal: AbortSignal): Promise<FindOutcome> {
    const books = await this.#open(signal);
    if ('kind' in books) return books;
    const found = await books.find(slot, signal);
    if (isFailure(found)) return found;
    return found.kind === 'none' ? found : { kind: 'found', address: found.record.address };
  }

  allocate(order: Order, signal: AbortSignal): Promise<AllocateOutcome> {
    return this.#persist(signal, (books) => this.#tryAllocate(books, order, signal));
  }

  release(slot: Slot, signal: AbortSignal): Promise<ReleaseOutcome> {
    return this.#persist(signal, (books) => release(books, slot, signal));
  }

  async stats(signal: AbortSignal): Promise<StatsOutcome> {
    const books = await this.#open(signal);
    return 'kind' in books ? books : countNetbox(books, signal);
  }

  readonly list = async (signal: AbortSignal): Promise<ListOutcome> => {
    const books = await this.#open(signal);
    return 'kind' in books ? books : listNetbox(books, signal);
  };

  async #lookUp(signal: AbortSignal): Promise<NetboxTerms | SourceFailure> {
    const { api, spec, pool } = this.#options;
    const cluster = this.#cluster();
    if (typeof cluster !== 'string') return cluster;
    const lacksFields = this.#lacksFields;
    return new NetboxLookup({ api, spec, cluster, pool, lacksFields }, signal).run();
  }

  #cluster(): string | SourceFailure {
    const { spec, clusterId } = this.#options;
    return (
      spec.clusterId ?? clusterId() ?? failure('unavailable', 'waits for the namespace kube-system')
    );
  }

  async #open(signal: AbortSignal): Promise<NetboxBooks | SourceFailure> {
    const cluster = this.#cluster();
    if (typeof cluster !== 'string') return cluster;
    const terms = this.#terms ?? (await this.#lookUp(signal));
    if ('kind' in terms) return terms;
    this.#terms = terms;
    const { api, spec, pool } = this.#options;
    return new NetboxBooks({ api, spec, pool, cluster, terms });
  }

  /** Until it is done, or it is known that it cannot be, or it has been tried often enough. */
  async #persist<T extends { readonly kind: string }>(
    signal: AbortSignal,
    attempt: (books: NetboxBooks) => Promise<T | Step | SourceFailure>,
  ): Promise<T | SourceFailure> {
    let last: SourceFailure = failure('unavailable', 'does not come to an end');
    let unseen = 0;
    for (let tries = 1; tries <= mostAttempts; tries += 1) {
      const books = await this.#open(signal);
      const outcome = 'kind' in books ? books : await attempt(books);
      if (!isStep(outcome)) return outcome;
      last = outcome.failure ?? last;
      unseen += outcome.why === 'unseen' ? 1 : 0;
      if (unseen > 1) return last;
      await this.#pause(outcome, tries, signal);
    }
    return last;
  }

  async #pause({ why }: Step, tries: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    if (why === 'terms' || why === 'fields') this.#terms = undefined;
    if (why === 'fields') this.#lacksFields = true;
    if (why === 'unclear') this.#unclearAt = clock.monotonic();
    if (tries < mostAttempts) await sleep(clock, backoffDelay(pauses, tries, random), signal);
  }

  async #tryAllocate(
    books: NetboxBooks,
    order: Order,
    signal: AbortSignal,
  ): Promise<AllocateOutcome | Step> {
    const found = await books.find(order, signal);
    if (isFailure(found)) return found.reason === 'unavailable' ? again(found) : found;
    if (found.kind === 'none') return this.#take(books, order, signal);
    const { record } = found;
    if (order.wish === undefined || record.address.ip === order.wish) {
      return adopt(books, order, record, signal);
    }
    return this.#exchange(books, order, record, order.wish, signal);
  }

  /** What is wished for is looked at before what there is goes. */
  async #exchange(
    books: NetboxBooks,
    order: Order,
    record: NetboxRecord,
    wish: Ip,
    signal: AbortSignal,
  ): Promise<AllocateOutcome | Step> {
    const obstacle = await findWishObstacle(books, order, wish, signal);
    if (obstacle !== undefined) return obstacle;
    const released = await giveBack(books, order, record, signal);
    if (isStep(released) || isFailure(released)) return released;
    return this.#take(books, order, signal);
  }

  #take(books: NetboxBooks, order: Order, signal: AbortSignal): Promise<AllocateOutcome | Step> {
    if (order.wish !== undefined) return takeWish(books, order, order.wish, signal);
    const { parents } = books.terms;
    if (parents.length > 0) return takeFree(books, order, signal);
    return takeReserved(books, order, this.#options.random, signal);
  }
}

function again(cause: SourceFailure): Step {
  return { kind: 'again', why: 'unclear', failure: cause };
}
