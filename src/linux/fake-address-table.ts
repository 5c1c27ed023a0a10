/** The addresses of a fake kernel, with the rules by which they come and go. */

import type { AddressScope, HeldAddress } from '../model/address.ts';
import { familyOf, type Ip } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import { networkOf } from '../model/prefix.ts';

/** How long duplicate address detection takes: one probe and its wait (RFC 4862, section 5.4). */
const dadMillis = 1000;

export interface FakeAddressSpec {
  readonly ip: Ip;
  readonly prefixLength: number;
  readonly validSeconds: number;
  readonly preferredSeconds: number;
  readonly noPrefixRoute: boolean;
  readonly noDad: boolean;
  readonly isOurs: boolean;
  readonly scope?: AddressScope;
}

export interface FakeAddress {
  readonly linkIndex: number;
  readonly ip: Ip;
  readonly prefixLength: number;
  readonly isOurs: boolean;
  readonly scope: AddressScope;
  /** Alike for IPv4 addresses of one prefix on one link: primary and secondaries. */
  readonly group: string;
  noPrefixRoute: boolean;
  validUntil: number;
  preferredUntil: number;
  isSecondary: boolean;
  /** `Infinity` while the link is down: detection starts when it comes up. */
  dadEndsAt: number | undefined;
  hasFailedDad: boolean;
  /** Counts changes, each of which the kernel tells about. */
  revision: number;
}

export interface FakeAddressRules {
  readonly now: () => number;
  readonly promotesSecondaries: () => boolean;
  /** Whether another host on the link holds the address. */
  readonly isTaken: (linkIndex: number, ip: Ip) => boolean;
}

export class FakeAddressTable {
  readonly #rules: FakeAddressRules;
  #addresses: FakeAddress[] = [];
  /** When something happens by itself next; undefined: to be found anew. */
  #dueAt: number | undefined;
  /** Addresses by link; undefined: to be found anew. */
  #byLink: ReadonlyMap<number, ReadonlySet<Ip>> | undefined;

  constructor(rules: FakeAddressRules) {
    this.#rules = rules;
  }

  list(): readonly FakeAddress[] {
    return this.#addresses;
  }

  /** Asked for every frame that arrives. */
  has(linkIndex: number, ip: Ip): boolean {
    this.#byLink ??= indexByLink(this.#addresses);
    return this.#byLink.get(linkIndex)?.has(ip) === true;
  }

  /** In the kernel's sense of "the same": with its prefix length for IPv4, without it for IPv6. */
  find(linkIndex: number, ip: Ip, prefixLength: number): FakeAddress | undefined {
    return this.#addresses.find(
      (address) =>
        address.linkIndex === linkIndex &&
        address.ip === ip &&
        (familyOf(ip) === 'ipv6' || address.prefixLength === prefixLength),
    );
  }

  add(link: Link, spec: FakeAddressSpec): void {
    const { ip, prefixLength, noPrefixRoute, isOurs, scope = 'global' } = spec;
    const needsDad = familyOf(ip) === 'ipv6' && !spec.noDad && !link.isNoArp && !link.isLoopback;
    const address: FakeAddress = {
      linkIndex: link.index,
      ip,
      prefixLength,
      isOurs,
      scope,
      group: groupOf(link.index, ip, prefixLength),
      noPrefixRoute,
      ...this.#deadlines(spec),
      isSecondary: false,
      dadEndsAt: needsDad ? this.#dadEnd(link) : undefined,
      hasFailedDad: false,
      revision: 0,
    };
    address.isSecondary = this.#othersOfGroup(address).length > 0;
    this.#addresses.push(address);
  }

  renew(address: FakeAddress, spec: FakeAddressSpec): void {
    Object.assign(address, this.#deadlines(spec));
    address.noPrefixRoute = spec.noPrefixRoute;
    address.revision += 1;
  }

  /** What else went: without `promote_secondaries` a primary takes its secondaries along. */
  remove(address: FakeAddress): readonly FakeAddress[] {
    this.#addresses = this.#addresses.filter((other) => other !== address);
    const group = address.isSecondary ? [] : this.#othersOfGroup(address);
    const [first] = group;
    if (first === undefined) return [];
    if (this.#rules.promotesSecondaries()) {
      first.isSecondary = false;
      return [];
    }
    this.#addresses = this.#addresses.filter((other) => !group.includes(other));
    return group;
  }

  /** Puts back what a removal took along: the first becomes the new primary. */
  restore(addresses: readonly FakeAddress[]): void {
    for (const address of addresses) {
      address.isSecondary = this.#othersOfGroup(address).length > 0;
      address.revision += 1;
      this.#addresses.push(address);
    }
  }

  removeLink(linkIndex: number): void {
    this.#addresses = this.#addresses.filter((address) => address.linkIndex !== linkIndex);
  }

  /** Going down costs a link its IPv6 addresses; IPv4 ones stay. */
  linkWentDown(linkIndex: number): void {
    this.#addresses = this.#addresses.filter(
      (address) => address.linkIndex !== linkIndex || familyOf(address.ip) === 'ipv4',
    );
  }

  linkCameUp(link: Link): void {
    for (const address of this.#addresses) {
      if (address.linkIndex === link.index && address.dadEndsAt === Infinity) {
        address.dadEndsAt = this.#dadEnd(link);
      }
    }
  }

  isDue(): boolean {
    this.#dueAt ??= Math.min(
      ...this.#addresses.map(({ validUntil, dadEndsAt = Infinity }) =>
        Math.min(validUntil, dadEndsAt),
      ),
    );
    return this.#dueAt <= this.#rules.now();
  }

  /** To be called when anything was changed. */
  noteChange(): void {
    this.#dueAt = undefined;
    this.#byLink = undefined;
  }

  /** Lets happen what is due: lifetimes end, duplicate address detection ends. */
  settle(): void {
    const now = this.#rules.now();
    for (const address of this.#addresses.filter(({ validUntil }) => validUntil <= now)) {
      if (this.#addresses.includes(address)) this.remove(address);
    }
    for (const address of [...this.#addresses]) {
      if (address.dadEndsAt !== undefined && address.dadEndsAt <= now) this.#endDad(address);
    }
  }

  view(address: FakeAddress, link: string): HeldAddress {
    const now = this.#rules.now();
    const secondsTo = (time: number) => Math.max(0, Math.ceil((time - now) / 1000));
    return {
      linkIndex: address.linkIndex,
      link,
      ip: address.ip,
      prefixLength: address.prefixLength,
      validSeconds: secondsTo(address.validUntil),
      preferredSeconds: secondsTo(address.preferredUntil),
      noPrefixRoute: address.noPrefixRoute,
      isOurs: address.isOurs,
      isSecondary: address.isSecondary,
      isTentative: address.dadEndsAt !== undefined,
      isDeprecated: address.preferredUntil <= now,
      hasFailedDad: address.hasFailedDad,
      scope: address.scope,
    };
  }

  /** A failure removes an address with a lifetime and leaves a permanent one unusable. */
  #endDad(address: FakeAddress): void {
    if (!this.#rules.isTaken(address.linkIndex, address.ip)) {
      address.dadEndsAt = undefined;
    } else {
      address.hasFailedDad = true;
      address.dadEndsAt = Infinity;
      if (address.validUntil !== Infinity) this.remove(address);
    }
    address.revision += 1;
  }

  #dadEnd(link: Link): number {
    return link.isUp ? this.#rules.now() + dadMillis : Infinity;
  }

  #deadlines({ validSeconds, preferredSeconds }: FakeAddressSpec) {
    const now = this.#rules.now();
    return {
      validUntil: now + validSeconds * 1000,
      preferredUntil: now + preferredSeconds * 1000,
    };
  }

  /** The other IPv4 addresses of the same prefix on the same link. */
  #othersOfGroup({ ip, group }: FakeAddress): readonly FakeAddress[] {
    if (familyOf(ip) === 'ipv6') return [];
    return this.#addresses.filter((other) => other.group === group && other.ip !== ip);
  }
}

function indexByLink(addresses: readonly FakeAddress[]): ReadonlyMap<number, ReadonlySet<Ip>> {
  const byLink = Map.groupBy(addresses, ({ linkIndex }) => linkIndex);
  return new Map([...byLink].map(([index, all]) => [index, new Set(all.map(({ ip }) => ip))]));
}

function groupOf(linkIndex: number, ip: Ip, prefixLength: number): string {
  return `${linkIndex} ${networkOf({ ip, length: prefixLength }).ip}/${prefixLength}`;
}
