import type { ResponseBody, TransportResponse } from './transport.ts';

interface Reader {
  readonly onChunk: (chunk: Uint8Array) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A response body that a test writes while the client reads it. */
export class BodyPipe {
  readonly #chunks: Uint8Array[] = [];
  #end: { readonly error?: unknown } | undefined;
  #reader: Reader | undefined;

  constructor(signal?: AbortSignal) {
    signal?.addEventListener('abort', () => this.fail(signal.reason), { once: true });
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  readonly read: ResponseBody = (onChunk) =>
    new Promise((resolve, reject) => {
      this.#reader = { onChunk, resolve, reject };
      this.#pump();
    });

  write(text: string | Uint8Array): this {
    this.#chunks.push(typeof text === 'string' ? Buffer.from(text) : text);
    // Not at once: what the server does never runs the client's code.
    queueMicrotask(() => this.#pump());
    return this;
  }

  end(): this {
    this.#end ??= {};
    queueMicrotask(() => this.#pump());
    return this;
  }

  fail(error: unknown): this {
    this.#end ??= { error };
    queueMicrotask(() => this.#pump());
    return this;
  }

  #pump(): void {
    if (this.#reader === undefined) return;
    const { onChunk, resolve, reject } = this.#reader;
    try {
      for (let chunk = this.#chunks.shift(); chunk; chunk = this.#chunks.shift()) onChunk(chunk);
      if (this.#end === undefined) return;
      if ('error' in this.#end) reject(this.#end.error);
      else resolve();
    } catch (error) {
      this.#end ??= { error };
      reject(error);
    }
    this.#reader = undefined;
  }
}

/** A 200 whose body is this. */
export function answering(pipe: BodyPipe): TransportResponse {
  return { status: 200, headers: {}, body: pipe.read };
}

export function bodyOf(text: string): ResponseBody {
  return new BodyPipe().write(text).end().read;
}
