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
  const bytes = new Uint8Array(6);
  for (let index = 0; index < 6; index++) {
    bytes[index] = Number.parseInt(mac.slice(3 * index, 3 * index + 2), 16);
  }
  return bytes;
}

/** Of each byte: every frame that is heard has two addresses at least. */
const texts = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function macFromBytes(bytes: Uint8Array): Mac {
  if (bytes.length !== 6) throw new TypeError(`a MAC address has 6 bytes, not ${bytes.length}`);
  let text = texts[bytes[0] ?? 0] ?? '';
  for (let index = 1; index < 6; index++) text += `:${texts[bytes[index] ?? 0]}`;
  return text as Mac;
}
