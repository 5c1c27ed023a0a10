/** The wire format of Protocol Buffers: tags, varints and lengths. Schemas are in `protobuf.ts`. */

/** Bytes that are no message of the kind that was expected. The decoder throws this and nothing else. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
  readonly code = 'PROTOBUF_MALFORMED';
}

export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
export const FIXED32 = 5;

const longestVarint = 10;

export class ProtobufWriter {
  readonly #bytes: number[] = [];

  tag(number: number, wireType: number): this {
    return this.varint(number * 8 + wireType);
  }

  /** Any safe integer; what is negative goes out in 64 bits of two's complement. */
  varint(value: number): this {
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a safe integer`);
    if (value < 0) return this.#negative(value);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes.push((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes.push(rest);
    return this;
  }

  lengthDelimited(content: Uint8Array): this {
    this.varint(content.length);
    for (const byte of content) this.#bytes.push(byte);
    return this;
  }

  finish(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#bytes);
  }

  #negative(value: number): this {
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 0x7fn) {
      this.#bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.#bytes.push(Number(rest));
    return this;
  }
}

/** A number of 64 bits in two halves: JavaScript has no other exact form that is cheap. */
export interface Varint {
  readonly low: number;
  readonly high: number;
}

export class ProtobufReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  tag(): { readonly number: number; readonly wireType: number } {
    const { low, high } = this.varint();
    const number = low >>> 3;
    if (number === 0 || high !== 0) throw new ProtobufError('a field has an impossible number');
    return { number, wireType: low & 7 };
  }

  varint(): Varint {
    let low = 0;
    let high = 0;
    for (let index = 0; index < longestVarint; index++) {
      const byte = this.#byte();
      const bits = byte & 0x7f;
      if (index < 4) low |= bits << (7 * index);
      else if (index > 4) high |= bits << (7 * index - 32);
      else {
        low |= bits << 28;
        high |= bits >> 4;
      }
      if (byte < 0x80) return { low, high };
    }
    throw new ProtobufError('a number has more than ten bytes');
  }

  lengthDelimited(): Uint8Array {
    const { low, high } = this.varint();
    if (high !== 0 || low < 0) throw new ProtobufError('a length beyond all messages');
    return this.#take(low);
  }

  /** Over a field that no one asked for. */
  skip(wireType: number): void {
    switch (wireType) {
      case VARINT:
        this.varint();
        return;
      case FIXED64:
        this.#take(8);
        return;
      case LENGTH_DELIMITED:
        this.lengthDelimited();
        return;
      case FIXED32:
        this.#take(4);
        return;
      default:
        throw new ProtobufError(`a field has the unknown wire type ${wireType}`);
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new ProtobufError('the message ends in the middle of a field');
    this.#at += 1;
    return byte;
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) {
      throw new ProtobufError(`a field of ${length} bytes is longer than its message`);
    }
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
