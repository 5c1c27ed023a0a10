/** A source in memory, as honest as a real one, which fails when it is told to. */

import { type Family, familyOf, type Ip, ipFromBigInt, ipToBigInt } from '../model/ip.ts';
import type { Prefix } from '../model/prefix.ts';
import { type Range, rangeContains, rangeSize } from '../model/range.ts';
import type { SourceFailureReason } from '../model/reasons.ts';
import {
  type AddressSource,
  type AllocateOutcome,
  type CheckOutcome,
  type FindOutcome,
  failure,
  type ListOutcome,
  type Order,
  type ReleaseOutcome,
  type Slot,
  type SourceFailure,
  type StatsOutcome,
} from './address-source.ts';

interface Holding {
  readonly slot: Slot;
  readonly ip: Ip;
}

/** What the sources of several allocators have in common. */
export class FakeBooks {
  readonly ranges: readonly Range[];
  readonly holdings = new Map<string, Holding>();
  /** Everything fails like this. */
  trouble: SourceFailureReason | undefined;
  /** Awaited before each call is carried out, and before it is answered. */
  pause: (signal: AbortSignal) => Promise<void> = async () => {};
  readonly calls: string[] = [];

  constructor(ranges: readonly Range[]) {
    this.ranges = ranges;
  }

  get addresses(): readonly Ip[] {
    return [...this.holdings.values()].map(({ ip }) => ip);
  }
}

export class FakeSource implements AddressSource {
  readonly #books: FakeBooks;
  readonly #lengths: Readonly<Record<Family, number>>;

  constructor(books: FakeBooks, lengths = { ipv4: 24, ipv6: 64 }) {
    this.#books = books;
    this.#lengths = lengths;
  }

  find(slot: Slot, signal: AbortSignal): Promise<FindOutcome> {
    return this.#call(`find ${keyOf(slot)}`, signal, () => {
      const held = this.#books.holdings.get(keyOf(slot));
      return held ? { kind: 'found', address: this.#prefix(held.ip) } : { kind: 'none' };
    });
  }

  allocate(order: Order, signal: AbortSignal): Promise<AllocateOutcome> {
    return this.#call(`allocate ${keyOf(order)}`, signal, () => {
      const { holdings } = this.#books;
      const held = holdings.get(keyOf(order))?.ip;
      const ip = order.wish ?? held ?? this.#findFree(order.family);
      this.#moveFrom(order);
      const refusal = ip === held ? undefined : this.#refuse(ip, order);
      if (ip === undefined || refusal !== undefined) return refusal ?? full(order);
      holdings.set(keyOf(order), { slot: order, ip });
      return { kind: 'address', address: this.#prefix(ip) };
    });
  }

  /** The slot that had the address before gives it up. */
  #moveFrom(order: Order): void {
    const { holdings } = this.#books;
    const { formerOwner: owner = order.owner, wish } = order;
    const former = keyOf({ ...order, owner });
    if (owner !== order.owner && holdings.get(former)?.ip === wish) holdings.delete(former);
  }

  #refuse(ip: Ip | undefined, order: Order): SourceFailure | undefined {
    if (ip === undefined) return full(order);
    if (!this.#isOurs(ip)) return failure('conflict', `does not have ${ip}`);
    const isTaken = this.#books.addresses.includes(ip);
    return isTaken ? failure('conflict', `has given ${ip} away`) : undefined;
  }

  release(slot: Slot, signal: AbortSignal): Promise<ReleaseOutcome> {
    return this.#call(`release ${keyOf(slot)}`, signal, () => {
      this.#books.holdings.delete(keyOf(slot));
      return { kind: 'released' };
    });
  }

  stats(signal: AbortSignal): Promise<StatsOutcome> {
    return this.#call('stats', signal, () => {
      const size = (family: Family) =>
        this.#rangesOf(family).reduce((sum, range) => sum + rangeSize(range), 0n);
      const used = (family: Family) =>
        BigInt(this.#books.addresses.filter((ip) => familyOf(ip) === family).length);
      return {
        kind: 'stats',
        allocated: { ipv4: used('ipv4'), ipv6: used('ipv6') },
        capacity: { ipv4: size('ipv4'), ipv6: size('ipv6') },
        displayAddresses: [],
      };
    });
  }

  check(signal: AbortSignal): Promise<CheckOutcome> {
    return this.#call('check', signal, () => ({ kind: 'ready', message: 'answers', warnings: [] }));
  }

  readonly list = (signal: AbortSignal): Promise<ListOutcome> =>
    this.#call('list', signal, () => ({
      kind: 'records',
      records: [...this.#books.holdings.values()].map(({ slot, ip }) => ({
        owner: slot.owner,
        family: slot.family,
        service: slot.service,
        address: this.#prefix(ip),
      })),
    }));

  close(): void {}

  async #call<T>(
    text: string,
    signal: AbortSignal,
    carryOut: () => T | SourceFailure,
  ): Promise<T | SourceFailure> {
    signal.throwIfAborted();
    this.#books.calls.push(text);
    await this.#books.pause(signal);
    const { trouble } = this.#books;
    if (trouble !== undefined) return failure(trouble, `is ${trouble}`);
    const outcome = carryOut();
    await this.#books.pause(signal);
    return outcome;
  }

  #prefix(ip: Ip): Prefix {
    return { ip, length: this.#lengths[familyOf(ip)] };
  }

  #rangesOf(family: Family): readonly Range[] {
    return this.#books.ranges.filter((range) => range.family === family);
  }

  #isOurs(ip: Ip): boolean {
    return this.#books.ranges.some((range) => rangeContains(range, ip));
  }

  #findFree(family: Family): Ip | undefined {
    const taken = new Set(this.#books.addresses.map(ipToBigInt));
    for (const { first, last } of this.#rangesOf(family)) {
      for (let value = first; value <= last; value += 1n) {
        if (!taken.has(value)) return ipFromBigInt(family, value);
      }
    }
    return undefined;
  }
}

function full({ family }: Order): SourceFailure {
  return failure('exhausted', `has no ${family} address left`);
}

function keyOf({ pool, owner, family }: Slot): string {
  return `${pool} ${owner} ${family}`;
}
