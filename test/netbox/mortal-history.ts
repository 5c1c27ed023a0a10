/**
 * Three allocators that know nothing of each other share a Netbox over the network, and are killed at any request: before
 * it is sent, while it is under way, or when the answer is there. In real time, so that it can be a real one.
 */

import { seededIdentities } from '../../lab/api/rest/identities.ts';
import type { Slot } from '../../src/ipam/address-source.ts';
import type { RealNetbox } from '../../src/ipam/netbox-real.fixture.ts';
import { realPool } from '../../src/ipam/netbox-real.fixture.ts';
import type { NetboxSource } from '../../src/ipam/netbox-source.ts';
import type { RestTransport } from '../../src/ipam/rest-transport.ts';
import type { Family } from '../../src/model/ip.ts';

export interface MortalReport {
  readonly operations: number;
  readonly requests: number;
  readonly crashes: number;
  readonly problems: readonly string[];
}

interface Owner {
  readonly name: string;
  isGone: boolean;
}

const allocators = 3;
const living = 4;
const families: readonly Family[] = ['ipv4', 'ipv6'];
const never = new AbortController().signal;

export class MortalHistory {
  readonly #real: RealNetbox;
  readonly #below: (limit: number) => number;
  readonly #owners: Owner[] = [];
  readonly #given = new Map<string, string>();
  readonly #underway = new Set<Promise<unknown>>();
  readonly #problems: string[] = [];
  #left: number;
  #requests = 0;
  #crashes = 0;

  constructor(real: RealNetbox, { operations, seed }: { operations: number; seed: number }) {
    this.#real = real;
    this.#left = operations;
    this.#below = seededIdentities(seed).pick;
    for (let index = 0; index < living; index += 1) this.#addOwner();
  }

  async run(): Promise<MortalReport> {
    const operations = this.#left;
    await Promise.all(Array.from({ length: allocators }, () => this.#live()));
    await Promise.all(this.#underway);
    await this.#settle();
    await this.#audit();
    const problems = this.#problems;
    return { operations, requests: this.#requests, crashes: this.#crashes, problems };
  }

  #addOwner(): void {
    this.#owners.push({ name: `uid-${this.#owners.length + 1}`, isGone: false });
  }

  /** One allocator, from one death to the next. */
  async #live(): Promise<void> {
    while (this.#left > 0) {
      const life = new AbortController();
      const source = this.#real.source((transport) => this.#mortal(transport, life));
      try {
        while (this.#left > 0) await this.#work(source, life.signal);
      } catch (error) {
        if (!life.signal.aborted) throw error;
      }
    }
  }

  #mortal(transport: RestTransport, life: AbortController): RestTransport {
    const die = () => {
      this.#crashes += 1;
      life.abort(new Error('killed'));
      throw life.signal.reason;
    };
    return {
      close: () => transport.close(),
      send: async (request) => {
        life.signal.throwIfAborted();
        this.#requests += 1;
        const moment = this.#below(12);
        if (moment === 0) die();
        const sending = transport.send(request, never);
        const landing = sending.catch(() => {}).finally(() => this.#underway.delete(landing));
        this.#underway.add(landing);
        if (moment === 1) die();
        const reply = await sending;
        if (moment === 2) die();
        life.signal.throwIfAborted();
        return reply;
      },
    };
  }

  async #work(source: NetboxSource, signal: AbortSignal): Promise<void> {
    this.#left -= 1;
    if (this.#below(6) === 0) this.#replaceOwner();
    const owner = this.#owners[this.#below(this.#owners.length)];
    const family = families[this.#below(2)];
    if (owner === undefined || family === undefined) return;
    if (owner.isGone) await source.release(slotOf(owner, family), signal);
    else await this.#ask(source, owner, family, signal);
    signal.throwIfAborted();
  }

  #replaceOwner(): void {
    const leaving = this.#living[this.#below(living)];
    if (leaving === undefined) return;
    leaving.isGone = true;
    for (const family of families) this.#given.delete(`${leaving.name} ${family}`);
    this.#addOwner();
  }

  get #living(): readonly Owner[] {
    return this.#owners.filter(({ isGone }) => !isGone);
  }

  async #ask(source: NetboxSource, owner: Owner, family: Family, signal: AbortSignal) {
    const order = { ...slotOf(owner, family), wish: undefined };
    const outcome = await source.allocate(order, signal);
    if (outcome.kind !== 'address' || owner.isGone) return;
    const { ip } = outcome.address;
    const key = `${owner.name} ${family}`;
    const before = this.#given.get(key) ?? ip;
    if (before !== ip) this.#problems.push(`${key} was told ${before}, then ${ip}`);
    for (const [other, held] of this.#given) {
      if (other !== key && held === ip) this.#problems.push(`${ip}: ${other} and ${key}`);
    }
    this.#given.set(key, ip);
  }

  /** Nobody dies any more: what is in use is asked for, what is not is given back. */
  async #settle(): Promise<void> {
    const source = this.#real.source();
    for (const owner of this.#owners) {
      for (const family of families) {
        if (owner.isGone) await source.release(slotOf(owner, family), never);
        else await this.#ask(source, owner, family, never);
      }
    }
    source.close();
  }

  /** Every slot that is in use has the record that was told, and there are no others. */
  async #audit(): Promise<void> {
    const wanted = [...this.#given].map(([key, ip]) => {
      const [owner, family] = key.split(' ');
      return `${ip} ${this.#real.id}/${realPool}/${owner}/${family === 'ipv4' ? 4 : 6}`;
    });
    if (wanted.length !== living * families.length) this.#problems.push('not all were served');
    const found = await this.#real.records();
    const extra = found.filter((record) => !wanted.includes(record));
    const absent = wanted.filter((record) => !found.includes(record));
    this.#problems.push(...extra.map((record) => `left over: ${record}`));
    this.#problems.push(...absent.map((record) => `not on record: ${record}`));
    if (found.length !== wanted.length) this.#problems.push(`${found.length} records`);
  }
}

function slotOf({ name }: Owner, family: Family): Slot {
  return { pool: realPool, owner: name, family, service: `shop/${name}`, sharingKey: undefined };
}
