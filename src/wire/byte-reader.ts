import { WireError } from './wire-error.ts';

/** Reads a packet front to back and cannot run off its end: a short packet throws a WireError that names it. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #what: string;
  #offset = 0;

  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#what = what;
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  get offset(): number {
    return this.#offset;
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  u16be(): number {
    return this.#view.getUint16(this.#advance(2));
  }

  u32be(): number {
    return this.#view.getUint32(this.#advance(4));
  }

  u16le(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  u32le(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  i32le(): number {
    return this.#view.getInt32(this.#advance(4), true);
  }

  /** A view, not a copy. */
  bytes(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  rest(): Uint8Array {
    return this.bytes(this.remaining);
  }

  skip(length: number): void {
    this.#advance(length);
  }

  #advance(length: number): number {
    const start = this.#offset;
    if (length < 0 || length > this.remaining) {
      throw new WireError(
        'WIRE_TRUNCATED',
        `${this.#what}: ${length} bytes wanted at offset ${start}, ${this.remaining} left`,
      );
    }
    this.#offset = start + length;
    return start;
  }
}
