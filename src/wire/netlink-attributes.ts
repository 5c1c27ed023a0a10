/** Netlink attributes: length, type, value, padding to 4 bytes; values may be attributes again (linux/netlink.h). */

import { type Ip, ipFromBytesAt, ipToBytes } from '../model/ip.ts';
import type { ByteWriter } from './byte-writer.ts';
import { align4 } from './netlink-message.ts';
import { WireError } from './wire-error.ts';

const NLA_F_NESTED = 0x8000;
/** The upper two bits of a type are flags (nested, network byte order). */
const NLA_TYPE_MASK = 0x3fff;
const headerLength = 4;

/** An attribute nobody here understands, kept so that writing a message again loses nothing. */
export interface RawAttribute {
  /** With its flag bits. */
  readonly type: number;
  readonly value: Uint8Array;
}

const textDecoder = new TextDecoder();
const textEncoder = new TextEncoder();

/**
 * Walks the attributes behind a message's fixed header: `while (reader.next()) switch (reader.type) …`. One cursor
 * serves a whole message: an object per attribute would be most of the cost of a large dump.
 */
export class AttributeReader {
  readonly #bytes: Uint8Array;
  readonly #headerLength: number;
  readonly #what: string;
  #next: number;
  #start = 0;
  #end = 0;
  #type = 0;

  constructor(bytes: Uint8Array, headerLength: number, what: string) {
    this.#bytes = bytes;
    this.#headerLength = headerLength;
    this.#what = what;
    this.#next = headerLength;
    if (bytes.length < headerLength) {
      const problem = `${bytes.length} of ${headerLength} header bytes`;
      throw new WireError('WIRE_TRUNCATED', `${what}: ${problem}`);
    }
  }

  /** A field of the fixed header. */
  headerU8(offset: number): number {
    return this.#bytes[this.#inHeader(offset, 1)] ?? 0;
  }

  headerU32(offset: number): number {
    return this.#u32(this.#inHeader(offset, 4));
  }

  /** Moves to the next attribute; false at the end. */
  next(): boolean {
    const left = this.#bytes.length - this.#next;
    if (left <= 0) return false;
    if (left < headerLength) throw this.#truncated(`${left} of ${headerLength} header bytes`);
    const length = this.#u16(this.#next);
    if (length < headerLength) throw this.#malformed(`claims to be ${length} bytes long`);
    if (length > left) throw this.#truncated(`${left} of ${length} bytes`);
    this.#type = this.#u16(this.#next + 2);
    this.#start = this.#next + headerLength;
    this.#end = this.#next + length;
    this.#next += align4(length);
    return true;
  }

  /** The current attribute's type without flag bits. */
  get type(): number {
    return this.#type & NLA_TYPE_MASK;
  }

  u8(): number {
    return this.#bytes[this.#expect(1)] ?? 0;
  }

  u16(): number {
    return this.#u16(this.#expect(2));
  }

  u32(): number {
    return this.#u32(this.#expect(4));
  }

  i32(): number {
    return this.#u32(this.#expect(4)) | 0;
  }

  /** The 32-bit number at `index` in a structure of `count` numbers, which later kernels may have extended. */
  u32At(index: number, count: number): number {
    if (this.#end - this.#start < count * 4) throw this.#wrongLength(`at least ${count * 4}`);
    return this.#u32(this.#start + index * 4);
  }

  /** Text up to its NUL. */
  string(): string {
    let text = '';
    for (let at = this.#start; at < this.#end; at++) {
      const byte = this.#bytes[at] ?? 0;
      if (byte === 0) break;
      // Names are plain ASCII; a decoder for the rest costs more than all else in a message.
      if (byte >= 0x80) return this.#utf8();
      text += String.fromCharCode(byte);
    }
    return text;
  }

  #utf8(): string {
    const value = this.bytes();
    const end = value.indexOf(0);
    return textDecoder.decode(end < 0 ? value : value.subarray(0, end));
  }

  ip(): Ip {
    const length = this.#end - this.#start;
    if (length !== 4 && length !== 16) throw this.#wrongLength('4 or 16');
    return ipFromBytesAt(this.#bytes, this.#start, length);
  }

  /** A view, not a copy. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  nested(): AttributeReader {
    return new AttributeReader(this.bytes(), 0, `${this.#what}, attribute ${this.type}`);
  }

  /** A copy that outlives the datagram. */
  raw(): RawAttribute {
    return { type: this.#type, value: this.bytes().slice() };
  }

  // Without a DataView, which would be one more object per message. The callers have checked the bounds.
  #u16(at: number): number {
    return (this.#bytes[at] ?? 0) | ((this.#bytes[at + 1] ?? 0) << 8);
  }

  #u32(at: number): number {
    return (this.#u16(at) | (this.#u16(at + 2) << 16)) >>> 0;
  }

  #inHeader(offset: number, length: number): number {
    if (offset + length <= this.#headerLength) return offset;
    throw new RangeError(`${this.#what}: the header ends at ${this.#headerLength}`);
  }

  #expect(length: number): number {
    if (this.#end - this.#start !== length) throw this.#wrongLength(`${length}`);
    return this.#start;
  }

  #wrongLength(wanted: string): WireError {
    return this.#malformed(`has ${this.#end - this.#start} bytes instead of ${wanted}`);
  }

  #malformed(problem: string): WireError {
    return new WireError('WIRE_MALFORMED', `${this.#what}: attribute ${this.type} ${problem}`);
  }

  #truncated(problem: string): WireError {
    return new WireError('WIRE_TRUNCATED', `${this.#what}: attribute cut off, ${problem}`);
  }
}

export function putAttribute(writer: ByteWriter, type: number, value: Uint8Array): void {
  putHeader(writer, type, value.length);
  writer.bytes(value).zeros(align4(value.length) - value.length);
}

export function putU8(writer: ByteWriter, type: number, value: number): void {
  putHeader(writer, type, 1);
  writer.u8(value).zeros(3);
}

export function putU32(writer: ByteWriter, type: number, value: number): void {
  putHeader(writer, type, 4);
  writer.u32le(value);
}

/** Text with the NUL that the kernel expects. */
export function putString(writer: ByteWriter, type: number, text: string): void {
  putAttribute(writer, type, textEncoder.encode(`${text}\0`));
}

export function putIp(writer: ByteWriter, type: number, ip: Ip): void {
  putAttribute(writer, type, ipToBytes(ip));
}

export function putNested(writer: ByteWriter, type: number, fill: () => void): void {
  const start = writer.length;
  putHeader(writer, type | NLA_F_NESTED, 0);
  fill();
  writer.patchU16le(start, writer.length - start);
}

function putHeader(writer: ByteWriter, type: number, valueLength: number): void {
  writer.u16le(headerLength + valueLength).u16le(type);
}
