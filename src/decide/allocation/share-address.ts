/** Who is on one address, and who may join: whoever gives the same sharing key, with other ports. */

import type { LoadBalancer, ServicePort } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';
import type { RejectionReason } from '../../model/reasons.ts';
import type { Claimant } from './claimant.ts';
import { type Obstacle, postpone, refuse } from './obstacle.ts';
import type { Place } from './place.ts';

/** The key as it counts in the pool: two Services share only if it is the same. */
export function scopedKeyOf(
  { request, identity }: LoadBalancer,
  pool: Pool | undefined,
): string | undefined {
  const { sharingKey } = request;
  if (sharingKey === undefined) return undefined;
  return pool?.sharingScope === 'Namespace'
    ? `${identity.namespace}\u0000${sharingKey}`
    : sharingKey;
}

/** Indexed by port and key once someone shares, so that thousands may share one address. */
export class AddressUsers {
  readonly all: Claimant[];
  readonly #place: Place;
  #index: SharingIndex | undefined;

  constructor(place: Place, first: Claimant) {
    this.#place = place;
    this.all = [first];
  }

  join(claimant: Claimant): void {
    this.all.push(claimant);
    this.#index?.add(claimant);
  }

  /** True when nobody is left. */
  leave(claimant: Claimant): boolean {
    const index = this.all.indexOf(claimant);
    if (index >= 0) this.all.splice(index, 1);
    this.#index = undefined;
    return this.all.length === 0;
  }

  /** Why a Service that is not here may not join. */
  findObstacle(service: LoadBalancer): Obstacle | undefined {
    const key = scopedKeyOf(service, this.#place.pool);
    if (key === undefined) return this.#refuseStrangers(service, key);
    this.#index ??= new SharingIndex(this.all, this.#place.pool);
    return this.#index.isOnlyOf(key)
      ? this.#findPortClash(service, this.#index)
      : this.#refuseStrangers(service, key);
  }

  #findPortClash(service: LoadBalancer, index: SharingIndex): Obstacle | undefined {
    const clash = index.findClash(service);
    if (clash === undefined) return undefined;
    const { port, owner } = clash;
    const message = `port ${port} on "${this.#place.ip}" is already in use by ${owner.service.key}`;
    return this.#obstacle('port_conflict', message, owner);
  }

  /** Names the first alone: who else is there comes and goes, and is not news. */
  #refuseStrangers(own: LoadBalancer, key: string | undefined): Obstacle | undefined {
    const { ip, pool } = this.#place;
    const isStranger = ({ service }: Claimant) =>
      service !== own && (key === undefined || scopedKeyOf(service, pool) !== key);
    const stranger =
      this.all.find((each) => isStranger(each) && each.fate.kind !== 'release') ??
      this.all.find(isStranger);
    if (stranger === undefined) return undefined;
    const isAboutKeys = key !== undefined || stranger.service.request.sharingKey !== undefined;
    const how = key === undefined ? '' : `, not under the sharing key "${own.request.sharingKey}"`;
    const message = `address ${ip} is in use by ${stranger.service.key}${how}`;
    return this.#obstacle(isAboutKeys ? 'sharing_key_conflict' : 'other', message, stranger);
  }

  #obstacle(reason: RejectionReason, message: string, { fate }: Claimant): Obstacle {
    const { ip, pool } = this.#place;
    const wait = { kind: 'address', ip } as const;
    // Whoever is about to leave is gone by the next plan.
    if (fate.kind === 'release') return postpone(message, pool?.name, wait);
    return refuse(reason, message, { pool: pool?.name, waitsFor: [wait] });
  }
}

class SharingIndex {
  readonly #pool: Pool | undefined;
  readonly #keys = new Set<string | undefined>();
  readonly #owners = new Map<string, Claimant>();

  constructor(users: readonly Claimant[], pool: Pool | undefined) {
    this.#pool = pool;
    for (const claimant of users) this.add(claimant);
  }

  add(claimant: Claimant): void {
    this.#keys.add(scopedKeyOf(claimant.service, this.#pool));
    for (const port of claimant.service.ports.map(formatPort)) {
      if (!this.#owners.has(port)) this.#owners.set(port, claimant);
    }
  }

  isOnlyOf(key: string): boolean {
    return this.#keys.size === 1 && this.#keys.has(key);
  }

  findClash({ ports }: LoadBalancer) {
    for (const port of ports.map(formatPort)) {
      const owner = this.#owners.get(port);
      if (owner !== undefined) return { port, owner };
    }
    return undefined;
  }
}

function formatPort({ protocol, port }: ServicePort): string {
  return `${protocol}/${port}`;
}
