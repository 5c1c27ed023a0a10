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
  freeIp(family: IpFamily, { pick }: Identities): Ip | undefined {
    const range = this.ranges.get(family);
    if (range === undefined) return undefined;
    const first = ipToBigInt(range.ip) + 1n;
    const last = ipToBigInt(lastOf(range)) - (family === 'IPv4' ? 1n : 0n);
    const size = Number(last - first) + 1;
    const ipAt = (offset: number) => ipFromBigInt(familyOf(range.ip), first + BigInt(offset));
    const offset = findFree(size, 16, 256, pick, (index) => !this.#owners.has(ipAt(index)));
    return offset === undefined ? undefined : ipAt(offset);
  }

  freePort(protocol: string, taken: ReadonlySet<string>, { pick }: Identities): number | undefined {
    const { first, last } = nodePortRange;
    const isFree = (offset: number) => {
      const claim = portClaim(protocol, first + offset);
      return !this.#owners.has(claim) && !taken.has(claim);
    };
    const offset = findFree(last - first + 1, 32, 128, pick, isFree);
    return offset === undefined ? undefined : first + offset;
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

/** The low end of a range is for those who ask for something certain; it is given out last. */
function findFree(
  size: number,
  share: number,
  mostReserved: number,
  pick: Identities['pick'],
  isFree: (offset: number) => boolean,
): number | undefined {
  const reserved = Math.min(Math.max(16, Math.floor(size / share)), mostReserved, size);
  const rest = size - reserved;
  const start = rest > 0 ? pick(rest) : 0;
  for (let step = 0; step < rest; step += 1) {
    const offset = reserved + ((start + step) % rest);
    if (isFree(offset)) return offset;
  }
  for (let offset = 0; offset < reserved; offset += 1) if (isFree(offset)) return offset;
  return undefined;
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
