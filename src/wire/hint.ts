/**
 * What one agent says to another by UDP: that an owner fell silent, or does not answer for an address though it lives,
 * which only makes the other look for itself; and the question whether the other holds an address, with the answer. This
 * is version 1, without a signature: `signed-hint.ts` is version 2. An answer counts only with the number of its
 * question. Version 1 can deny that a member holds an address, and cannot affirm it: anybody could.
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
  /** `ip` undefined: version 1 does not say which. */
  | { readonly kind: 'denial'; readonly number: number; readonly ip: Ip | undefined }
  /**
   * The sender has the address in its kernel. `isSure`: and has no reason to doubt that it should. `number`: of the
   * question, or `unasked`.
   */
  | {
      readonly kind: 'affirmation';
      readonly number: number;
      readonly ip: Ip;
      readonly isSure: boolean;
    };

/** The number of an affirmation that answers no question: its sender heard the receiver ask the wire. */
export const unasked = 0;

/** `PLBH` */
export const hintMagic = 0x504c_4248;
const version = 1;
/** Names of nodes are DNS names. */
const longestName = 253;

export const hintKinds = {
  silent: 1,
  question: 2,
  denial: 3,
  orphan: 4,
  affirmation: 5,
} as const satisfies Record<Hint['kind'], number>;

export function encodeHint(hint: Hint): Uint8Array {
  const writer = new ByteWriter(32).u32be(hintMagic).u8(version).u8(hintKinds[hint.kind]);
  switch (hint.kind) {
    case 'silent':
      return writeName(writer, hint.holder).finish();
    case 'orphan':
      return writeIp(writeName(writer, hint.holder), hint.ip).finish();
    case 'question':
      return writeIp(writeU48(writer, hint.number), hint.ip).finish();
    case 'denial':
      return writeU48(writer, hint.number).finish();
    case 'affirmation':
      throw new RangeError('an affirmation is signed, or nothing');
    default:
      return hint satisfies never;
  }
}

/** Undefined: of a version or kind that this one does not know. */
export function decodeHint(bytes: Uint8Array): Hint | undefined {
  const reader = new ByteReader(bytes, 'hint');
  if (reader.u32be() !== hintMagic) throw new WireError('WIRE_MALFORMED', 'hint: not one of ours');
  if (reader.u8() !== version) return undefined;
  const hint = decodeKind(reader.u8(), reader);
  if (hint !== undefined && reader.remaining > 0)
    throw new WireError('WIRE_MALFORMED', 'hint: more than there should be');
  return hint;
}

function decodeKind(kind: number, reader: ByteReader): Hint | undefined {
  switch (kind) {
    case hintKinds.silent:
      return { kind: 'silent', holder: readName(reader) };
    case hintKinds.orphan:
      return { kind: 'orphan', holder: readName(reader), ip: readIp(reader) };
    case hintKinds.question: {
      const number = readU48(reader);
      return { kind: 'question', ip: readIp(reader), number };
    }
    case hintKinds.denial:
      return { kind: 'denial', number: readU48(reader), ip: undefined };
    default:
      return undefined;
  }
}

const lowHalf = 2 ** 32;

export function writeU48(writer: ByteWriter, number: number): ByteWriter {
  return writer.u16be(Math.floor(number / lowHalf)).u32be(number % lowHalf);
}

export function readU48(reader: ByteReader): number {
  return reader.u16be() * lowHalf + reader.u32be();
}

export function writeName(writer: ByteWriter, node: string): ByteWriter {
  const name = new TextEncoder().encode(node);
  if (name.length === 0 || name.length > longestName)
    throw new RangeError(`a hint names a node, not ${JSON.stringify(node)}`);
  return writer.u8(name.length).bytes(name);
}

/** As Kubernetes names nodes: anything else has no business in logs and maps. */
export function readName(reader: ByteReader): string {
  const text = String.fromCharCode(...reader.bytes(reader.u8()));
  if (/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(text) && text.length <= longestName) return text;
  throw new WireError('WIRE_MALFORMED', 'hint: not the name of a node');
}

export function writeIp(writer: ByteWriter, ip: Ip): ByteWriter {
  const bytes = ipToBytes(ip);
  return writer.u8(bytes.length).bytes(bytes);
}

export function readIp(reader: ByteReader): Ip {
  const bytes = reader.bytes(reader.u8());
  if (bytes.length === 4 || bytes.length === 16) return ipFromBytes(bytes);
  throw new WireError('WIRE_MALFORMED', 'hint: not an address');
}
