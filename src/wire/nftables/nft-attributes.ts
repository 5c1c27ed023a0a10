/** Attributes as nf_tables has them: numbers are in network byte order (linux/netfilter/nf_tables.h). */

import type { ByteWriter } from '../byte-writer.ts';
import { AttributeReader } from '../netlink-attributes.ts';
import { WireError } from '../wire-error.ts';

const textDecoder = new TextDecoder();

/** The attributes of one message or nest, by type; of several of one type the last counts. */
export class NftAttributes {
  readonly #values = new Map<number, Uint8Array>();
  readonly #what: string;

  constructor(bytes: Uint8Array, headerLength: number, what: string) {
    this.#what = what;
    const reader = new AttributeReader(bytes, headerLength, what);
    while (reader.next()) this.#values.set(reader.type, reader.bytes());
  }

  has(type: number): boolean {
    return this.#values.has(type);
  }

  get types(): readonly number[] {
    return [...this.#values.keys()];
  }

  number(type: number): number {
    const bytes = this.bytes(type);
    if (bytes.length !== 4) {
      throw this.#malformed(`attribute ${type} has ${bytes.length} bytes instead of 4`);
    }
    return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
  }

  /** Up to its NUL. */
  text(type: number): string {
    const bytes = this.bytes(type);
    const end = bytes.indexOf(0);
    return textDecoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
  }

  /** A view, not a copy. */
  bytes(type: number): Uint8Array {
    const bytes = this.#values.get(type);
    if (bytes === undefined) throw this.#malformed(`attribute ${type} is missing`);
    return bytes;
  }

  nested(type: number): NftAttributes {
    return new NftAttributes(this.bytes(type), 0, `${this.#what}, attribute ${type}`);
  }

  #malformed(problem: string): WireError {
    return new WireError('WIRE_MALFORMED', `${this.#what}: ${problem}`);
  }
}

export function putNumber(writer: ByteWriter, type: number, value: number): void {
  writer
    .u16le(8)
    .u16le(type)
    .u32be(value >>> 0);
}
