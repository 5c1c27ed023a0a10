/** What the kernel holds, as far as it decides how a change must be carried out. */

import { familyOf, type Ip, ipToBytes } from '../model/ip.ts';
import { type AddressMessage, IFA_F_SECONDARY } from '../wire/address-message.ts';

interface Place {
  readonly linkIndex: number;
  readonly ip: Ip;
  readonly prefixLength: number;
}

/**
 * Starts as a dump and is kept in step with the changes planned so far, so that each change of a batch is judged by
 * what its predecessors will have left.
 */
export class HeldTable {
  readonly #byKey = new Map<string, AddressMessage>();
  /** IPv4 addresses of one prefix on one link in the kernel's order: the primary first. */
  readonly #groups = new Map<string, Map<string, AddressMessage>>();
  /** Groups that lost their primary: which address took its place depends on the kernel's settings. */
  readonly #unsettled = new Set<string>();

  constructor(messages: readonly AddressMessage[]) {
    for (const message of messages) this.#insert(message);
  }

  /** The address in the kernel's sense of "the same": with its prefix length for IPv4, without it for IPv6. */
  find(place: Place): AddressMessage | undefined {
    return this.#byKey.get(keyOf(place));
  }

  add(message: AddressMessage): void {
    const isFirst = this.#groupOf(message).size === 0;
    this.#insert(isFirst ? message : { ...message, flags: message.flags | IFA_F_SECONDARY });
  }

  remove(message: AddressMessage): void {
    this.#byKey.delete(keyOf(message));
    this.#groupOf(message).delete(keyOf(message));
    if (canHaveSecondaries(message) && !isSecondary(message))
      this.#unsettled.add(groupKey(message));
  }

  /** The addresses that the kernel may remove together with this one: a primary takes its secondaries along. */
  dependentsOf(message: AddressMessage): readonly AddressMessage[] {
    if (!canHaveSecondaries(message)) return [];
    if (isSecondary(message) && !this.#unsettled.has(groupKey(message))) return [];
    return [...this.#groupOf(message).values()].filter(({ ip }) => ip !== message.ip);
  }

  #insert(message: AddressMessage): void {
    const key = keyOf(message);
    this.#byKey.set(key, message);
    if (!canHaveSecondaries(message)) return;
    const group = this.#groupOf(message);
    this.#groups.set(groupKey(message), group);
    group.set(key, message);
  }

  #groupOf(place: Place): Map<string, AddressMessage> {
    const group = canHaveSecondaries(place) ? this.#groups.get(groupKey(place)) : undefined;
    return group ?? new Map();
  }
}

function isSecondary({ flags }: AddressMessage): boolean {
  return (flags & IFA_F_SECONDARY) !== 0;
}

function canHaveSecondaries({ ip, prefixLength }: Place): boolean {
  return prefixLength < 32 && familyOf(ip) === 'ipv4';
}

function keyOf({ linkIndex, ip, prefixLength }: Place): string {
  return familyOf(ip) === 'ipv4' ? `${linkIndex} ${ip}/${prefixLength}` : `${linkIndex} ${ip}`;
}

function groupKey({ linkIndex, ip, prefixLength }: Place): string {
  let number = 0;
  for (const byte of ipToBytes(ip)) number = (number << 8) | byte;
  const network = prefixLength === 0 ? 0 : number >>> (32 - prefixLength);
  return `${linkIndex} ${network}/${prefixLength}`;
}
