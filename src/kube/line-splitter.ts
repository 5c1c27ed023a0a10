import { TransportError } from './transport.ts';

const newline = 0x0a;

/**
 * Cuts a stream of bytes into lines. It works on bytes, so that a character split between two chunks stays whole,
 * and holds at most one unfinished line.
 */
export class LineSplitter {
  readonly #longestLine: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(longestLine: number) {
    this.#longestLine = longestLine;
  }

  /** Bytes that wait for the end of their line. */
  get pending(): number {
    return this.#length;
  }

  /**
   * The lines that this chunk completes, without their ends; empty ones are left out. Throws when the line that was
   * begun before is too long already: so what came before it is not lost.
   */
  push(chunk: Uint8Array): readonly Buffer[] {
    if (this.#length > this.#longestLine) {
      throw new TransportError('oversize', `a line of more than ${this.#longestLine} bytes`);
    }
    const bytes = toBuffer(chunk);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      const line = this.#complete(bytes.subarray(start, end));
      start = end + 1;
      if (line.length > 0) lines.push(line);
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
    return lines;
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    this.#parts.push(part);
  }

  #complete(last: Buffer): Buffer {
    if (this.#parts.length === 0) return last;
    this.#keep(last);
    const line = Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  if (bytes instanceof Buffer) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
