/** Which cluster addresses and node ports are taken: read off the Services themselves, kept up to date by the store. */

import { familyOf, type Ip, ipFromBigInt, ipToBigInt, parseIp } from '../../../../src/model/ip.ts';
import { isProblem } from '../../../../src/model/parsed.ts';
import {
  lastOf,
  networkOf,
  type Prefix,
  prefixContains,
  prefixOf,
} from '../../../../src/model/prefix.ts';
import type { ApiObject } from '../../api-object.ts';
import type { Identities } from '../../rest/identities.ts';
import type { Change, Store } from '../../store/store.ts';
import { familyOfText, type IpFamily, specOf } from './service-spec.ts';

export const nodePortRange = { first: 30_000, last: 32_767 } as const;

export class ServiceAllocations {
  readonly ranges: ReadonlyMap<IpFamily, Prefix>;
  readonly #owners = new Map<string, string>();

  constructor(store: Store, serviceCidrs: readonly string[]) {
    this.ranges = new Map(
      serviceCidrs.map((text) => [familyOfText(text), networkOf(prefixOf(text))] as const),
    );
    store.collection('services').subscribe((change) => this.#follow(change));
  }

  get families(): readonly IpFamily[] {
    return [...this.ranges.keys()];
  }

  /** Key of the Service that has the address or port, as named by `claimsOf`. */
  ownerOf(claim: string): string | undefined {
    return this.#owners.get(claim);
  }

  /** Undefined when all are taken. The first and, for IPv4, the last address of a range are never given. */
  freeIp(family: IpFamily, identities: Identities): Ip | undefined {
    const range = this.ranges.get(family);
    if (range === undefined) return undefined;
    const first = ipToBigInt(range.ip) + 1n;
    const last = ipToBigInt(lastOf(range)) - (family === 'IPv4' ? 1n : 0n);
    const size = last - first + 1n;
    const start = BigInt(identities.pick(Number(size > 0xffff_ffffn ? 0xffff_ffffn : size)));
    for (let offset = 0n; offset < size; offset += 1n) {
      const ip = ipFromBigInt(
        family === 'IPv4' ? 'ipv4' : 'ipv6',
        first + ((start + offset) % size),
      );
      if (!this.#owners.has(ip)) return ip;
    }
    return undefined;
  }

  freePort(protocols: readonly string[], taken: ReadonlySet<string>, { pick }: Identities) {
    const size = nodePortRange.last - nodePortRange.first + 1;
    const start = pick(size);
    for (let offset = 0; offset < size; offset += 1) {
      const port = nodePortRange.first + ((start + offset) % size);
      const claims = protocols.map((protocol) => portClaim(protocol, port));
      if (claims.every((claim) => !this.#owners.has(claim) && !taken.has(claim))) return port;
    }
    return undefined;
  }

  contains(text: string): boolean {
    const ip = parseIp(text);
    const range = this.ranges.get(familyOfText(text));
    return !isProblem(ip) && range !== undefined && prefixContains(range, ip.value);
  }

  #follow({ key, object, previous }: Change): void {
    for (const claim of claimsOf(previous)) this.#owners.delete(claim);
    for (const claim of claimsOf(object)) this.#owners.set(claim, key);
  }
}

export function portClaim(protocol: string, port: number): string {
  return `${protocol}/${port}`;
}

/** Everything that no second Service may have: addresses, and node ports per protocol. */
export function claimsOf(service: ApiObject | undefined): readonly string[] {
  if (service === undefined) return [];
  const { clusterIPs = [], ports = [], healthCheckNodePort = 0 } = specOf(service);
  const ips = clusterIPs.filter((ip) => ip !== 'None');
  const nodePorts = ports.flatMap(({ protocol, nodePort = 0 }) =>
    nodePort === 0 ? [] : [portClaim(protocol, nodePort)],
  );
  const health = healthCheckNodePort === 0 ? [] : [portClaim('TCP', healthCheckNodePort)];
  return [...ips, ...nodePorts, ...health];
}

/** The first address that is given out: the API server's own Service has it. */
export function firstIpOf(cidr: string): Ip {
  const range = networkOf(prefixOf(cidr));
  return ipFromBigInt(familyOf(range.ip), ipToBigInt(range.ip) + 1n);
}
