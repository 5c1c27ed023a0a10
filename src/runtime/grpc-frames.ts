/** Messages of gRPC inside a byte stream: one byte that says whether it is compressed, four of length, the message. */

import { GrpcError, grpcStatus } from './grpc-error.ts';

const headLength = 5;

export function frameMessage(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(headLength + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, headLength);
  return frame;
}

/** Frames come cut and glued as the connection pleases. */
export class FrameSplitter {
  readonly #longest: number;
  #rest: Uint8Array = new Uint8Array();

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Whether a message was begun and not ended. */
  get isInside(): boolean {
    return this.#rest.length > 0;
  }

  push(chunk: Uint8Array): readonly Uint8Array[] {
    this.#rest = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk);
    const messages: Uint8Array[] = [];
    for (let end = this.#end(); end !== undefined; end = this.#end()) {
      messages.push(this.#rest.subarray(headLength, end));
      this.#rest = this.#rest.subarray(end);
    }
    return messages;
  }

  /** Undefined until the whole message is there. */
  #end(): number | undefined {
    if (this.#rest.length < headLength) return undefined;
    if (this.#rest[0] !== 0) throw new GrpcError(grpcStatus.internal, 'the answer is compressed');
    const length = new DataView(this.#rest.buffer, this.#rest.byteOffset).getUint32(1);
    if (length > this.#longest) {
      throw new GrpcError(grpcStatus.resourceExhausted, `a message of ${length} bytes is too long`);
    }
    const end = headLength + length;
    return this.#rest.length < end ? undefined : end;
  }
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
