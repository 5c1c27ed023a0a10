/** Link-layer addresses of six bytes; canonical text (lower case, colons) is identity. */

import { abbreviate } from './ip.ts';
import { must, type Parsed, problem } from './parsed.ts';

declare const macBrand: unique symbol;
export type Mac = string & { readonly [macBrand]: true };

export function parseMac(text: string, path = ''): Parsed<Mac> {
  if (/^[\da-f]{2}([:-])[\da-f]{2}(\1[\da-f]{2}){4}$/i.test(text)) {
    return { value: text.toLowerCase().replaceAll('-', ':') as Mac };
  }
  return problem(path, `"${abbreviate(text)}" is not a MAC address such as 02:00:5e:10:00:01`);
}

export function macOf(text: string): Mac {
  return must(parseMac(text));
}

export const broadcastMac = macOf('ff:ff:ff:ff:ff:ff');

/** Multicast, and broadcast with it: the lowest bit of the first byte. */
export function isGroupMac(mac: Mac): boolean {
  return (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;
}

export function macToBytes(mac: Mac): Uint8Array {
  return Uint8Array.from(mac.split(':'), (byte) => Number.parseInt(byte, 16));
}

export function macFromBytes(bytes: Uint8Array): Mac {
  if (bytes.length !== 6) throw new TypeError(`a MAC address has 6 bytes, not ${bytes.length}`);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':') as Mac;
}
