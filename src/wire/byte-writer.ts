/** Writes a packet front to back into a buffer that grows and is reused after `reset`. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  u8(value: number): this {
    const start = this.#grow(1);
    this.#view.setUint8(start, value);
    return this;
  }

  u16be(value: number): this {
    const start = this.#grow(2);
    this.#view.setUint16(start, value);
    return this;
  }

  u32be(value: number): this {
    const start = this.#grow(4);
    this.#view.setUint32(start, value);
    return this;
  }

  u16le(value: number): this {
    const start = this.#grow(2);
    this.#view.setUint16(start, value, true);
    return this;
  }

  u32le(value: number): this {
    const start = this.#grow(4);
    this.#view.setUint32(start, value, true);
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
    this.#view.setUint16(offset, value);
  }

  patchU16le(offset: number, value: number): void {
    this.#view.setUint16(offset, value, true);
  }

  patchU32le(offset: number, value: number): void {
    this.#view.setUint32(offset, value, true);
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

  /** May replace the view: to be called before the view is taken hold of. */
  #grow(count: number): number {
    const start = this.#length;
    const needed = start + count;
    if (needed > this.#bytes.length) {
      const bigger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      bigger.set(this.#bytes);
      this.#bytes = bigger;
      this.#view = new DataView(bigger.buffer);
    }
    this.#length = needed;
    return start;
  }
}
