/**
 * Writes a packet front to back into a buffer that grows and is reused after `reset`. Byte by byte: a DataView would make
 * the engine take memory of its own for each short packet.
 */
export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  u8(value: number): this {
    const start = this.#grow(1);
    this.#bytes[start] = value;
    return this;
  }

  u16be(value: number): this {
    this.patchU16be(this.#grow(2), value);
    return this;
  }

  u32be(value: number): this {
    const start = this.#grow(4);
    this.patchU16be(start, value >>> 16);
    this.patchU16be(start + 2, value);
    return this;
  }

  u16le(value: number): this {
    this.patchU16le(this.#grow(2), value);
    return this;
  }

  u32le(value: number): this {
    this.patchU32le(this.#grow(4), value);
    return this;
  }

  bytes(value: Uint8Array): this {
    const start = this.#grow(value.length);
    this.#bytes.set(value, start);
    return this;
  }

  zeros(count: number): this {
    const start = this.#grow(count);
    this.#bytes.fill(0, start, start + count);
    return this;
  }

  /** Fills in a length or checksum that was unknown when its place was written. */
  patchU16be(offset: number, value: number): void {
    this.#bytes[offset] = value >>> 8;
    this.#bytes[offset + 1] = value;
  }

  patchU16le(offset: number, value: number): void {
    this.#bytes[offset] = value;
    this.#bytes[offset + 1] = value >>> 8;
  }

  patchU32le(offset: number, value: number): void {
    this.patchU16le(offset, value);
    this.patchU16le(offset + 2, value >>> 16);
  }

  /** A view of what was written so far, valid until the next write or `reset`. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of what was written so far. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  reset(): this {
    this.#length = 0;
    return this;
  }

  /** May replace the bytes: to be called before they are taken hold of. */
  #grow(count: number): number {
    const start = this.#length;
    const needed = start + count;
    if (needed > this.#bytes.length) {
      const bigger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      bigger.set(this.#bytes);
      this.#bytes = bigger;
    }
    this.#length = needed;
    return start;
  }
}
