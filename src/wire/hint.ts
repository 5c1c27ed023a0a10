/**
 * What one agent says to another by UDP: that a holder fell silent, or does not answer for an address though it lives,
 * which only makes the other look for itself; and the question whether the other holds an address, which it can only
 * deny. That it holds one it announces on the wire. None of it carries a secret or a signature; a denial counts only
 * with the number of its question, which nobody else knows.
 */

import { type Ip, ipFromBytes, ipToBytes } from '../model/ip.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { WireError } from './wire-error.ts';

export type Hint =
  /** `holder`: name of the node that does not answer. */
  | { readonly kind: 'silent'; readonly holder: string }
  /** It lives, and does not answer for the address. */
  | { readonly kind: 'orphan'; readonly holder: string; readonly ip: Ip }
  /** `number`: below 2^48. */
  | { readonly kind: 'question'; readonly ip: Ip; readonly number: number }
  | { readonly kind: 'denial'; readonly number: number };

/** `PLBH` */
const magic = 0x504c_4248;
const version = 1;
const kinds = { silent: 1, question: 2, denial: 3, orphan: 4 } as const;
/** Names of nodes are DNS names. */
const longestName = 253;

export function encodeHint(hint: Hint): Uint8Array {
  const writer = new ByteWriter(32).u32be(magic).u8(version).u8(kinds[hint.kind]);
  switch (hint.kind) {
    case 'silent':
      return writeSized(writer, encodeName(hint.holder)).finish();
    case 'orphan': {
      const named = writeSized(writer, encodeName(hint.holder));
      return writeSized(named, ipToBytes(hint.ip)).finish();
    }
    case 'question':
      return writeSized(writeNumber(writer, hint.number), ipToBytes(hint.ip)).finish();
    case 'denial':
      return writeNumber(writer, hint.number).finish();
    default:
      return hint satisfies never;
  }
}

/** Undefined: of a version or kind that this one does not know. */
export function decodeHint(bytes: Uint8Array): Hint | undefined {
  const reader = new ByteReader(bytes, 'hint');
  if (reader.u32be() !== magic) throw new WireError('WIRE_MALFORMED', 'hint: not one of ours');
  if (reader.u8() !== version) return undefined;
  const hint = decodeKind(reader.u8(), reader);
  if (hint !== undefined && reader.remaining > 0)
    throw new WireError('WIRE_MALFORMED', 'hint: more than there should be');
  return hint;
}

function decodeKind(kind: number, reader: ByteReader): Hint | undefined {
  switch (kind) {
    case kinds.silent:
      return { kind: 'silent', holder: decodeName(reader.bytes(reader.u8())) };
    case kinds.orphan: {
      const holder = decodeName(reader.bytes(reader.u8()));
      return { kind: 'orphan', holder, ip: decodeIp(reader.bytes(reader.u8())) };
    }
    case kinds.question: {
      const number = readNumber(reader);
      return { kind: 'question', ip: decodeIp(reader.bytes(reader.u8())), number };
    }
    case kinds.denial:
      return { kind: 'denial', number: readNumber(reader) };
    default:
      return undefined;
  }
}

function writeSized(writer: ByteWriter, bytes: Uint8Array): ByteWriter {
  return writer.u8(bytes.length).bytes(bytes);
}

const lowHalf = 2 ** 32;

function writeNumber(writer: ByteWriter, number: number): ByteWriter {
  return writer.u16be(Math.floor(number / lowHalf)).u32be(number % lowHalf);
}

function readNumber(reader: ByteReader): number {
  return reader.u16be() * lowHalf + reader.u32be();
}

function encodeName(holder: string): Uint8Array {
  const name = new TextEncoder().encode(holder);
  if (name.length > 0 && name.length <= longestName) return name;
  throw new RangeError(`a hint names a node, not ${JSON.stringify(holder)}`);
}

/** As Kubernetes names nodes: anything else has no business in logs and maps. */
function decodeName(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes);
  if (/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(text) && text.length <= longestName) return text;
  throw new WireError('WIRE_MALFORMED', 'hint: not the name of a node');
}

function decodeIp(bytes: Uint8Array): Ip {
  if (bytes.length === 4 || bytes.length === 16) return ipFromBytes(bytes);
  throw new WireError('WIRE_MALFORMED', 'hint: not an address');
}
