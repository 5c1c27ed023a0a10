/**
 * Who is on which address, derived from the Services' own status and from nothing else. What is given up in a plan stays
 * occupied in it: an address is free once its release is written, so that no order of writes gives it to two.
 * From one plan to the next only those stay seated who are settled; all else is of one plan.
 */

import type { Family, Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool, QuarantinedAddress } from '../../model/pool.ts';
import type { Quarantine } from './allocation-state.ts';
import type { Claimant } from './claimant.ts';
import type { Obstacle } from './obstacle.ts';
import type { Place, Places } from './place.ts';
import { AddressUsers, scopedKeyOf } from './share-address.ts';

export class Occupancy {
  readonly places: Places;
  readonly #users = new Map<Ip, AddressUsers>();
  /** Those who are not settled, with every place that they are on. */
  readonly #passing = new Map<Claimant, Place[]>();
  /** What stands between a Service and an address that it holds: someone who had it before. */
  readonly #faults = new Map<Claimant, Map<Ip, Obstacle>>();
  readonly #bindings = new Map<string, Binding>();
  readonly #quarantined = new Map<Ip, QuarantinedAddress>();
  readonly #reservations = new Map<string, Place[]>();
  readonly #freeing = new Set<string>();

  constructor(places: Places) {
    this.places = places;
  }

  /** Forgets what was of the plan before, but for the settled. */
  begin(quarantine: Quarantine, now: number): void {
    for (const [claimant, places] of this.#passing) this.#unseat(claimant, places);
    for (const ip of this.#quarantined.keys()) this.places.find(ip).use?.unblockAll();
    for (const part of [this.#passing, this.#faults, this.#bindings, this.#freeing]) part.clear();
    this.#quarantined.clear();
    this.#reservations.clear();
    for (const entry of [...quarantine.values()].flat()) {
      if (entry.until > now) this.setApart(entry);
    }
  }

  /** Whoever is seated first has more right to the address. */
  seat(claimant: Claimant): void {
    for (const place of claimant.held) {
      const obstacle = this.findObstacle(claimant, place);
      if (obstacle !== undefined) this.#noteFault(claimant, place.ip, obstacle);
      this.#join(claimant, place);
      if (claimant.fate.kind === 'release') this.giveUp(place);
    }
  }

  /** Nothing more is to be decided about them: they stay seated, and must be alone there. */
  settle(claimant: Claimant): void {
    this.#passing.delete(claimant);
  }

  /** Someone who was settled goes, or is to be seated anew. */
  unsettle(claimant: Claimant): void {
    this.#unseat(claimant, claimant.held);
  }

  /** Whether someone holds the address about whom nothing is decided in this plan. */
  isSettled(ip: Ip): boolean {
    return this.usersOf(ip).some((claimant) => !this.#passing.has(claimant));
  }

  /** Why a Service that is not on the address may not use it beside those that are. */
  findObstacle({ service }: Claimant, { ip }: Place): Obstacle | undefined {
    return this.#users.get(ip)?.findObstacle(service);
  }

  /** Why a Service should not hold an address that it holds. */
  findFault(claimant: Claimant, ip: Ip): Obstacle | undefined {
    return this.#faults.get(claimant)?.get(ip);
  }

  /** From now on whoever gives the same key gets the same address. The first binds; alone, it may bind anew. */
  bind(claimant: Claimant, { ip, family, pool }: Place): void {
    const name = bindingName(claimant.service, pool, family);
    if (name === undefined) return;
    const binding = this.#bindings.get(name);
    const isAlone = binding?.owner === claimant && !binding.isShared;
    if (binding === undefined || isAlone) {
      this.#bindings.set(name, { ip, owner: claimant, isShared: false });
    } else if (binding.ip === ip) binding.isShared = true;
  }

  take(claimant: Claimant, place: Place): void {
    this.#join(claimant, place);
    this.bind(claimant, place);
  }

  giveUp({ pool, family }: Place): void {
    if (pool !== undefined) this.#freeing.add(`${pool.name} ${family}`);
  }

  /** An address of the pool is given up in this plan: the next one can give it out. */
  isFreeing(pool: Pool, family: Family): boolean {
    return this.#freeing.has(`${pool.name} ${family}`);
  }

  usersOf(ip: Ip): readonly Claimant[] {
    return this.#users.get(ip)?.all ?? [];
  }

  /** The address that the Service's key stands for, because of others who give it. */
  boundTo(claimant: Claimant, pool: Pool | undefined, family: Family): Ip | undefined {
    const name = bindingName(claimant.service, pool, family);
    const binding = name === undefined ? undefined : this.#bindings.get(name);
    const isOwn = binding?.owner === claimant && !binding.isShared;
    return isOwn ? undefined : binding?.ip;
  }

  quarantineOf(ip: Ip): QuarantinedAddress | undefined {
    return this.#quarantined.get(ip);
  }

  /** Addresses kept for the Service from an earlier life of it. */
  reservedFor(service: LoadBalancer): readonly Place[] {
    return this.#reservations.get(service.key) ?? [];
  }

  #noteFault(claimant: Claimant, ip: Ip, obstacle: Obstacle): void {
    const faults = this.#faults.get(claimant) ?? new Map<Ip, Obstacle>();
    this.#faults.set(claimant, faults.set(ip, obstacle));
  }

  #join(claimant: Claimant, place: Place): void {
    const users = this.#users.get(place.ip);
    if (users === undefined) this.#users.set(place.ip, new AddressUsers(place, claimant));
    else users.join(claimant);
    place.use?.use(place.value);
    const places = this.#passing.get(claimant);
    if (places === undefined) this.#passing.set(claimant, [place]);
    else places.push(place);
  }

  #unseat(claimant: Claimant, places: readonly Place[]): void {
    for (const { ip, use, value } of places) {
      if (this.#users.get(ip)?.leave(claimant) !== true) continue;
      this.#users.delete(ip);
      use?.free(value);
    }
  }

  /** Not to be given out in this plan. */
  setApart(entry: QuarantinedAddress): void {
    const place = this.places.find(entry.ip);
    this.#quarantined.set(entry.ip, entry);
    place.use?.block(place.value);
    if (entry.reason !== 'Reserved' || entry.service === undefined) return;
    const reserved = this.#reservations.get(entry.service) ?? [];
    this.#reservations.set(entry.service, [...reserved, place]);
  }
}

interface Binding {
  readonly ip: Ip;
  readonly owner: Claimant;
  isShared: boolean;
}

function bindingName(
  service: LoadBalancer,
  pool: Pool | undefined,
  family: Family,
): string | undefined {
  const key = scopedKeyOf(service, pool);
  return key === undefined ? undefined : [pool?.name, family, key].join('\u0000');
}
