import { TransportError } from './transport.ts';

const newline = 0x0a;

/**
 * Cuts a stream of bytes into lines. It works on bytes, so that a character split between two chunks stays whole,
 * and holds at most one unfinished line.
 */
export class LineSplitter {
  readonly #longestLine: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(longestLine: number) {
    this.#longestLine = longestLine;
  }

  /** Bytes that wait for the end of their line. */
  get pending(): number {
    return this.#length;
  }

  /** The lines that this chunk completes, without their ends; empty ones are left out. */
  *push(chunk: Uint8Array): Generator<Buffer> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = this.#complete(chunk.subarray(start, end));
      start = end + 1;
      if (line.length > 0) yield line;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  #keep(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.#longestLine) {
      throw new TransportError('oversize', `a line of more than ${this.#longestLine} bytes`);
    }
    this.#parts.push(part);
  }

  #complete(last: Uint8Array): Buffer {
    if (this.#parts.length === 0) return toBuffer(last);
    this.#keep(last);
    const line = Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
