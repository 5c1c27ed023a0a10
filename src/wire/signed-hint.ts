/**
 * A hint that only somebody with the peers' key can have written, for one receiver: version 2 of what agents say to each
 * other. The MAC covers every byte before it. How a MAC is made is the caller's affair: this room has no cryptography.
 *
 *     PLBH | 2 | kind | key id (4) | session (6) | sequence (6) | sender | receiver | body | MAC (16)
 *
 * Names and addresses have their length before them; a body has the name of a node, a number and an address, as far as
 * its kind needs them, in this order; an affirmation ends with 1 if its sender is sure, and 0 if not.
 */

import type { Ip } from '../model/ip.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import {
  type Hint,
  hintKinds,
  hintMagic,
  readIp,
  readName,
  readU48,
  writeIp,
  writeName,
  writeU48,
} from './hint.ts';
import { WireError } from './wire-error.ts';

export interface SignedHeader {
  /** Which key made the MAC; below 2^32. It says nothing of the key. */
  readonly keyId: number;
  /** Drawn by the sending process at its start; below 2^48. */
  readonly session: number;
}

export interface SignedHint extends SignedHeader {
  /** Counts up within the session; below 2^48. */
  readonly sequence: number;
  /** The name of the sending node. */
  readonly sender: string;
  /** The address that it is sent to: it means nothing to anybody else. */
  readonly receiver: Ip;
  readonly hint: Hint;
}

export const macLength = 16;
/** Two names of 253 bytes, two addresses of IPv6, and a little. */
export const longestHint = 640;
const version = 2;

export function encodeSignedHint(
  { keyId, session, sequence, sender, receiver, hint }: SignedHint,
  sign: (bytes: Uint8Array) => Uint8Array,
): Uint8Array {
  const writer = new ByteWriter(128).u32be(hintMagic).u8(version).u8(hintKinds[hint.kind]);
  writeU48(writeU48(writer.u32be(keyId), session), sequence);
  writeIp(writeName(writer, sender), receiver);
  writeBody(writer, hint);
  const mac = sign(writer.written());
  if (mac.length !== macLength) throw new RangeError(`a MAC has ${macLength} bytes`);
  return writer.bytes(mac).finish();
}

/** Enough to find the key by; undefined: it is no hint of this version. Never throws, and reads only the first bytes. */
export function peekSigned(bytes: Uint8Array): SignedHeader | undefined {
  if (bytes.length < 22 + macLength || bytes.length > longestHint) return undefined;
  const reader = new ByteReader(bytes, 'hint');
  if (reader.u32be() !== hintMagic || reader.u8() !== version) return undefined;
  reader.u8();
  return { keyId: reader.u32be(), session: readU48(reader) };
}

/** What the MAC was made of, and the MAC. */
export function splitSigned(bytes: Uint8Array) {
  const end = Math.max(0, bytes.length - macLength);
  return { signed: bytes.subarray(0, end), mac: bytes.subarray(end) };
}

/** Undefined: of a kind that this one does not know. To be called once the MAC is found to be right. */
export function decodeSignedHint(bytes: Uint8Array): SignedHint | undefined {
  const header = peekSigned(bytes);
  if (header === undefined) throw new WireError('WIRE_MALFORMED', 'hint: not a signed one');
  const reader = new ByteReader(splitSigned(bytes).signed, 'hint');
  reader.bytes(5);
  const kind = reader.u8();
  reader.bytes(10);
  const sequence = readU48(reader);
  const sender = readName(reader);
  const receiver = readIp(reader);
  const hint = readBody(kind, reader);
  if (hint === undefined) return undefined;
  if (reader.remaining > 0)
    throw new WireError('WIRE_MALFORMED', 'hint: more than there should be');
  return { ...header, sequence, sender, receiver, hint };
}

function writeBody(writer: ByteWriter, hint: Hint): ByteWriter {
  switch (hint.kind) {
    case 'silent':
      return writeName(writer, hint.holder);
    case 'orphan':
      return writeIp(writeName(writer, hint.holder), hint.ip);
    case 'question':
      return writeIp(writeU48(writer, hint.number), hint.ip);
    case 'affirmation':
      return writeIp(writeU48(writer, hint.number), hint.ip).u8(hint.isSure ? 1 : 0);
    case 'denial':
      if (hint.ip === undefined) throw new RangeError('a signed denial names its address');
      return writeIp(writeU48(writer, hint.number), hint.ip);
    default:
      return hint satisfies never;
  }
}

function readBody(code: number, reader: ByteReader): Hint | undefined {
  switch (code) {
    case hintKinds.silent:
      return { kind: 'silent', holder: readName(reader) };
    case hintKinds.orphan:
      return { kind: 'orphan', holder: readName(reader), ip: readIp(reader) };
    case hintKinds.question:
      return { kind: 'question', number: readU48(reader), ip: readIp(reader) };
    case hintKinds.denial:
      return { kind: 'denial', number: readU48(reader), ip: readIp(reader) };
    case hintKinds.affirmation: {
      const answer = { number: readU48(reader), ip: readIp(reader) };
      return { kind: 'affirmation', ...answer, isSure: reader.u8() === 1 };
    }
    default:
      return undefined;
  }
}
