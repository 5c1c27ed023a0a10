/** Numbered datagrams of the client, and the responder's answers that say who answers. */

import { ByteReader } from '../../src/wire/byte-reader.ts';
import { ByteWriter } from '../../src/wire/byte-writer.ts';

export interface EchoRequest {
  /** Tells the answers to this client from those to another, or to its predecessor on the same port. */
  readonly run: number;
  readonly number: number;
}

export interface EchoAnswer extends EchoRequest {
  readonly responder: string;
}

export const headerBytes = 8;

/** `size` bytes in all; the rest is zeros. */
export function encodeRequest({ run, number }: EchoRequest, size: number): Uint8Array {
  const writer = new ByteWriter(size).u32be(run).u32be(number);
  return writer.zeros(Math.max(0, size - headerBytes)).finish();
}

/** The header comes back as it was, whatever it was. */
export function answerTo(request: Uint8Array, responder: string): Uint8Array {
  return Buffer.concat([request.subarray(0, headerBytes), Buffer.from(responder)]);
}

/** Undefined for what is no answer. */
export function decodeAnswer(bytes: Uint8Array): EchoAnswer | undefined {
  if (bytes.length < headerBytes) return undefined;
  const reader = new ByteReader(bytes, 'echo answer');
  const run = reader.u32be();
  const number = reader.u32be();
  return { run, number, responder: Buffer.from(reader.rest()).toString('utf8') };
}
