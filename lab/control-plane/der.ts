/** Just enough of DER (ITU-T X.690) to write an X.509 certificate. */

const universal = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const;

export function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...encodeLength(content.length)]), content]);
}

function encodeLength(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes = base256(length);
  return [0x80 | bytes.length, ...bytes];
}

function base256(value: number): readonly number[] {
  return value < 256 ? [value] : [...base256(Math.floor(value / 256)), value % 256];
}

export const sequence = (...parts: readonly Uint8Array[]) => tagged(universal.sequence, ...parts);
export const set = (...parts: readonly Uint8Array[]) => tagged(universal.set, ...parts);
export const octetString = (bytes: Uint8Array) => tagged(universal.octetString, bytes);
export const utf8String = (text: string) => tagged(universal.utf8String, Buffer.from(text));
export const boolean = (value: boolean) =>
  tagged(universal.boolean, Buffer.from([value ? 0xff : 0]));

/** `unusedBits` counts the low bits of the last byte that are not part of the string. */
export const bitString = (bytes: Uint8Array, unusedBits = 0) =>
  tagged(universal.bitString, Buffer.from([unusedBits]), bytes);

/** A positive integer from its big-endian bytes: the first bit is a sign, hence the zero before a high one. */
export function integer(bytes: Uint8Array): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const significant = start === -1 ? Buffer.from([0]) : bytes.subarray(start);
  const isHigh = (significant[0] ?? 0) >= 0x80;
  return tagged(universal.integer, ...(isHigh ? [Buffer.from([0])] : []), significant);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap(base128);
  return tagged(universal.objectIdentifier, Buffer.from(bytes));
}

/** Seven bits a byte, the high bit set on all but the last. */
function base128(value: number): readonly number[] {
  const higher = (part: number): readonly number[] =>
    part === 0 ? [] : [...higher(Math.floor(part / 128)), 0x80 | (part % 128)];
  return [...higher(Math.floor(value / 128)), value % 128];
}

/** Seconds precision, years 1950 to 2049 (RFC 5280, 4.1.2.5.1). */
export function utcTime(at: Date): Buffer {
  const digits = at.toISOString().replace(/\D/g, '');
  return tagged(universal.utcTime, Buffer.from(`${digits.slice(2, 14)}Z`));
}
