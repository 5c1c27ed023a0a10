/** The keys of the guard's sets: addresses, and addresses with protocol and port. */

import type { GuardRules, Opening } from '../../model/guard.ts';
import { familyOf, ipFromBytes, ipOf, ipToBytes } from '../../model/ip.ts';
import type { ServicePort } from '../../model/load-balancer.ts';
import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import type { GuardSetName } from './guard-table.ts';

/**
 * Of each set, as texts: `192.0.2.100`, or `192.0.2.100 6 80` with protocol and port. By these they are compared, which
 * is most of what is ever done with them; bytes are made only of those that change.
 */
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
    keys[familyOf(ip) === 'ipv4' ? 'addresses4' : 'addresses6'].add(ip);
  }
  for (const { ip, protocol, port } of openings) {
    const set = familyOf(ip) === 'ipv4' ? keys.ports4 : keys.ports6;
    set.add(portKey({ ip, protocol, port }));
  }
  return keys;
}

/** `192.0.2.100 6 80`. */
export function portKey({ ip, protocol, port }: Opening): string {
  return `${ip} ${protocolNumbers[protocol]} ${port}`;
}

/** Each part is filled up to four bytes. */
export function encodeGuardKey(key: string): Uint8Array {
  const [ip = '', protocol, port] = key.split(' ');
  const address = ipToBytes(ipOf(ip));
  if (protocol === undefined) return address;
  const writer = new ByteWriter(24).bytes(address).u8(Number(protocol)).zeros(3);
  return writer.u16be(Number(port)).zeros(2).finish();
}

/** Throws for keys that are of none of the sets. */
export function decodeGuardKey(bytes: Uint8Array): string {
  const reader = new ByteReader(bytes, 'key of the guard');
  const ip = ipFromBytes(reader.bytes(bytes.length < 16 ? 4 : 16));
  if (reader.remaining === 0) return ip;
  const protocol = reader.u8();
  reader.skip(3);
  return `${ip} ${protocol} ${reader.u16be()}`;
}
