/**
 * Several allocators that know nothing of each other share one Netbox: they ask for the same slots, lose requests and
 * answers, and are killed at any request. Slots are used once: whoever asks for one that is given up does so because it
 * does not know yet.
 */

import { seededIdentities } from '../../lab/api/rest/identities.ts';
import type { Fate } from '../../lab/netbox/memory-transport.ts';
import type { Netbox } from '../../lab/netbox/netbox.ts';
import type { Slot } from '../../src/ipam/address-source.ts';
import { NetboxRoom, type NetboxRoomOptions } from '../../src/ipam/netbox-room.fixture.ts';
import type { NetboxSource } from '../../src/ipam/netbox-source.ts';
import type { Family, Ip } from '../../src/model/ip.ts';
import { sleep } from '../../src/runtime/clock.ts';
import { ManualClock } from '../../src/runtime/manual-clock.ts';

export interface HistoryOptions extends NetboxRoomOptions {
  readonly seed: number;
  readonly allocators: number;
  /** How many times a slot is asked for or given back. */
  readonly operations: number;
  /** How many Services there are at a time. */
  readonly owners: number;
  readonly prepare?: (room: NetboxRoom) => void;
}

export interface HistoryReport {
  readonly operations: number;
  readonly requests: number;
  readonly faults: number;
  readonly crashes: number;
  readonly slots: number;
  readonly problems: readonly string[];
}

interface Owner {
  readonly name: string;
  isGone: boolean;
}

const families: readonly Family[] = ['ipv4', 'ipv6'];

export class NetboxHistory {
  readonly room: NetboxRoom;
  readonly clock = new ManualClock();
  readonly #options: HistoryOptions;
  readonly #below: (limit: number) => number;
  readonly #owners: Owner[] = [];
  /** What each slot that is in use was said to have. */
  readonly #given = new Map<string, Ip>();
  readonly problems: string[] = [];
  #isCalm = false;
  #made = 0;
  #left: number;
  requests = 0;
  faults = 0;
  crashes = 0;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#below = seededIdentities(options.seed).pick;
    this.#left = options.operations;
    this.room = new NetboxRoom({ ...options, clock: this.clock });
    options.prepare?.(this.room);
    for (let index = 0; index < options.owners; index += 1) this.#addOwner();
  }

  async run(): Promise<HistoryReport> {
    const { allocators, operations } = this.#options;
    const all = Array.from({ length: allocators }, () => this.#live());
    const done = Promise.all(all);
    let isDone = false;
    void done.then(() => {
      isDone = true;
    });
    while (!isDone) await this.clock.advance(500);
    await done;
    // Whatever is under way lands.
    this.#isCalm = true;
    await this.clock.advance(120_000);
    await this.#settle();
    this.#audit();
    const { requests, faults, crashes, problems } = this;
    return { operations, requests, faults, crashes, slots: this.#made * 2, problems };
  }

  #addOwner(): void {
    this.#made += 1;
    this.#owners.push({ name: `uid-${this.#made}`, isGone: false });
  }

  /** One allocator, from one death to the next. */
  async #live(): Promise<void> {
    while (this.#left > 0) {
      const life = new AbortController();
      const { source, transport } = this.room.open({
        random: () => this.#below(1000) / 1000,
        latencyMs: () => this.#below(40),
        fateOf: (request) => {
          this.requests += 1;
          if (!this.#isCalm && this.#below(25) === 0) {
            this.crashes += 1;
            transport.die();
            life.abort(new Error('killed'));
          }
          return this.#fateOf(request.method);
        },
      });
      try {
        while (this.#left > 0) await this.#work(source, life.signal);
      } catch {
        await sleep(this.clock, this.#below(2_000));
      }
    }
  }

  async #work(source: NetboxSource, signal: AbortSignal): Promise<void> {
    this.#left -= 1;
    this.#change();
    const owner = this.#owners[this.#below(this.#owners.length)];
    const family = families[this.#below(2)];
    if (owner === undefined || family === undefined) return;
    const slot = slotOf(owner, family);
    if (owner.isGone) await source.release(slot, signal);
    else await this.#ask(source, owner, slot, signal);
    signal.throwIfAborted();
  }

  /** People make and delete Services. */
  #change(): void {
    if (this.#below(20) !== 0) return;
    const living = this.#owners.filter(({ isGone }) => !isGone);
    const leaving = living[this.#below(living.length)];
    if (leaving !== undefined) leaving.isGone = true;
    for (const family of families) this.#given.delete(`${leaving?.name} ${family}`);
    this.#addOwner();
    // Those that are long gone are left to whoever looks the source through.
    if (this.#owners.length <= this.#options.owners * 3) return;
    const oldest = this.#owners.findIndex(({ isGone }) => isGone);
    if (oldest >= 0) this.#owners.splice(oldest, 1);
  }

  async #ask(source: NetboxSource, owner: Owner, slot: Slot, signal: AbortSignal): Promise<void> {
    const outcome = await source.allocate({ ...slot, wish: undefined }, signal);
    if (outcome.kind !== 'address' || owner.isGone) return;
    const { ip } = outcome.address;
    const key = `${owner.name} ${slot.family}`;
    const before = this.#given.get(key) ?? ip;
    if (before !== ip) this.problems.push(`${key} was told ${before}, then ${ip}`);
    for (const [other, held] of this.#given) {
      if (other !== key && held === ip)
        this.problems.push(`${ip} was given to ${other} and ${key}`);
    }
    this.#given.set(key, ip);
  }

  #fateOf(method: string): Fate {
    if (this.#isCalm || this.#below(8) !== 0) return { kind: 'served' };
    this.faults += 1;
    const fates: readonly Fate[] = [
      { kind: 'lost' },
      { kind: 'unanswered' },
      { kind: 'refused' },
      ...(method === 'GET' ? [] : [{ kind: 'late', afterMs: this.#below(30_000) } as const]),
      { kind: 'answer', change: () => ({ status: 502, headers: {}, body: '' }) },
    ];
    return fates[this.#below(fates.length)] ?? { kind: 'served' };
  }

  /** Everything works again: all ask for what is in use, and one looks for what is not. */
  async #settle(): Promise<void> {
    const { allocators } = this.#options;
    const sources = Array.from({ length: allocators }, () => this.room.open().source);
    const never = new AbortController().signal;
    const living = this.#owners.filter(({ isGone }) => !isGone);
    const work = async () => {
      const [first] = sources;
      if (first !== undefined) await collect(first, living);
      const slots = living.flatMap((owner) => families.map((family) => ({ owner, family })));
      for (const source of sources) {
        for (const { owner, family } of slots) {
          await this.#ask(source, owner, slotOf(owner, family), never);
        }
      }
    };
    let isDone = false;
    const working = work().finally(() => {
      isDone = true;
    });
    while (!isDone) await this.clock.advance(1_000);
    await working;
  }

  /** Every slot that is in use has one record, and there are no others. */
  #audit(): void {
    const records = ownRecords(this.room.netbox);
    const living = this.#owners.filter(({ isGone }) => !isGone).map(({ name }) => name);
    const wanted = living.flatMap((name) =>
      ['4', '6'].map((digit) => `cluster-uid/lb/${name}/${digit}`),
    );
    for (const slot of wanted) {
      const count = records.filter((record) => record.slot === slot).length;
      if (count !== 1) this.problems.push(`${slot} has ${count} records`);
    }
    for (const { slot, address } of records) {
      if (!wanted.includes(slot)) this.problems.push(`${address} is left for ${slot}`);
    }
    const hosts = records.map(({ address }) => address.split('/')[0]);
    if (new Set(hosts).size !== hosts.length) this.problems.push('an address is recorded twice');
  }
}

/** As an allocator does it: what belongs to nobody goes. */
async function collect(source: NetboxSource, living: readonly Owner[]): Promise<void> {
  const never = new AbortController().signal;
  const listed = await source.list(never);
  if (listed.kind !== 'records') throw new Error(listed.message);
  for (const record of listed.records) {
    if (living.some(({ name }) => name === record.owner)) continue;
    await source.release({ ...record, pool: 'lb', sharingKey: undefined }, never);
  }
}

function slotOf({ name }: Owner, family: Family): Slot {
  return { pool: 'lb', owner: name, family, service: `shop/${name}`, sharingKey: undefined };
}

/** Those that are not merely reserved. */
function ownRecords({
  tables,
}: Netbox): readonly { readonly slot: string; readonly address: string }[] {
  return tables.all('ipam/ip-addresses').flatMap(({ fields }) => {
    const { purelb_slot: slot } = {
      ...(fields['custom_fields'] as { purelb_slot?: string | null }),
    };
    if (fields['status'] === 'reserved' && slot == null) return [];
    return [{ slot: slot ?? '-', address: String(fields['address']) }];
  });
}
