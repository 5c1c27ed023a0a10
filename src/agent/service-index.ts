/** Which Services have which address, kept up to date with every Service that changes. */

import type { Ip } from '../model/ip.ts';
import type { KnownService } from './known-objects.ts';
import type { WatchedObjects } from './watched-objects.ts';

/** Services and addresses that have to be decided about together, because they share addresses. */
export interface Scope {
  /** `namespace/name`. */
  readonly services: ReadonlySet<string>;
  /** Those that the Services have, and those that they had. */
  readonly ips: ReadonlySet<Ip>;
}

export class ServiceIndex {
  readonly #services: Pick<WatchedObjects['services'], 'get'>;
  readonly #byIp = new Map<Ip, Set<string>>();

  constructor(services: Pick<WatchedObjects['services'], 'get' | 'subscribe'>) {
    this.#services = services;
    services.subscribe((key, before, after) => this.#change(key, before, after));
  }

  /** Whether any Service has the address. */
  has(ip: Ip): boolean {
    return this.#byIp.has(ip);
  }

  /** Of all Services. */
  get ips(): Iterable<Ip> {
    return this.#byIp.keys();
  }

  /** These Services and addresses, and all others that are connected with them by shared addresses. */
  close(services: Iterable<string>, ips: Iterable<Ip>): Scope {
    const allServices = new Set<string>();
    const allIps = new Set<Ip>(ips);
    const open = [...services, ...[...allIps].flatMap((ip) => [...(this.#byIp.get(ip) ?? [])])];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      if (allServices.has(key)) continue;
      allServices.add(key);
      for (const ip of this.#ipsOf(key)) {
        allIps.add(ip);
        open.push(...(this.#byIp.get(ip) ?? []));
      }
    }
    return { services: allServices, ips: allIps };
  }

  #ipsOf(key: string): readonly Ip[] {
    return ipsOf(this.#services.get(key));
  }

  #change(key: string, before: KnownService | undefined, after: KnownService | undefined): void {
    for (const ip of ipsOf(before)) this.#leave(ip, key);
    for (const ip of ipsOf(after)) this.#join(ip, key);
  }

  #join(ip: Ip, key: string): void {
    const sharing = this.#byIp.get(ip);
    if (sharing === undefined) this.#byIp.set(ip, new Set([key]));
    else sharing.add(key);
  }

  #leave(ip: Ip, key: string): void {
    const sharing = this.#byIp.get(ip);
    sharing?.delete(key);
    if (sharing?.size === 0) this.#byIp.delete(ip);
  }
}

export function ipsOf(service: KnownService | undefined): readonly Ip[] {
  return service?.value?.grant.ingress ?? [];
}
