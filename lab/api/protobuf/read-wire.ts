/** The wire format of protocol buffers: numbered fields, each a number or a piece of bytes. */

export type WireValue = bigint | Buffer;

export interface WireField {
  readonly number: number;
  readonly value: WireValue;
}

/** Stops quietly at what is cut off or of an unknown kind: whoever sent it will miss the rest. */
export function* readWire(bytes: Buffer): Generator<WireField> {
  const cursor = { at: 0 };
  while (cursor.at < bytes.length) {
    const key = Number(readVarint(bytes, cursor));
    const value = readValue(bytes, cursor, key & 7);
    if (value === undefined) return;
    yield { number: key >>> 3, value };
  }
}

interface Cursor {
  at: number;
}

const sizes: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

function readValue(bytes: Buffer, cursor: Cursor, kind: number): WireValue | undefined {
  if (kind === 0) return BigInt.asIntN(64, readVarint(bytes, cursor));
  const size = kind === 2 ? Number(readVarint(bytes, cursor)) : sizes[kind];
  if (size === undefined || cursor.at + size > bytes.length) return undefined;
  cursor.at += size;
  return bytes.subarray(cursor.at - size, cursor.at);
}

function readVarint(bytes: Buffer, cursor: Cursor): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = bytes[cursor.at] ?? 0;
    cursor.at += 1;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}
