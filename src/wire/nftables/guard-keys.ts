/** The keys of the guard's sets: addresses, and addresses with protocol and port. */

import type { GuardRules, Opening } from '../../model/guard.ts';
import { familyOf, ipToBytes } from '../../model/ip.ts';
import type { ServicePort } from '../../model/load-balancer.ts';
import { ByteWriter } from '../byte-writer.ts';
import type { GuardSetName } from './guard-table.ts';

/** Of each set, in hexadecimal: by that they are compared. */
export type GuardKeys = Readonly<Record<GuardSetName, ReadonlySet<string>>>;

const protocolNumbers = { TCP: 6, UDP: 17, SCTP: 132 } as const satisfies Record<
  ServicePort['protocol'],
  number
>;

export function keysOf({ addresses, openings }: GuardRules): GuardKeys {
  const keys = {
    addresses4: new Set<string>(),
    addresses6: new Set<string>(),
    ports4: new Set<string>(),
    ports6: new Set<string>(),
  };
  for (const ip of addresses) {
    keys[familyOf(ip) === 'ipv4' ? 'addresses4' : 'addresses6'].add(keyToHex(ipToBytes(ip)));
  }
  for (const opening of openings) {
    const set = familyOf(opening.ip) === 'ipv4' ? 'ports4' : 'ports6';
    keys[set].add(keyToHex(openingKey(opening)));
  }
  return keys;
}

/** Each part is filled up to four bytes. */
function openingKey({ ip, protocol, port }: Opening): Uint8Array {
  const writer = new ByteWriter(24).bytes(ipToBytes(ip));
  return writer.u8(protocolNumbers[protocol]).zeros(3).u16be(port).zeros(2).finish();
}

export function keyToHex(key: Uint8Array): string {
  let text = '';
  for (const byte of key) text += byte.toString(16).padStart(2, '0');
  return text;
}

export function keyFromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
