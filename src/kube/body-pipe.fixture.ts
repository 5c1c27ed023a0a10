/** A response body that a test writes while the client reads it. */
export class BodyPipe implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake = () => {};

  constructor(signal?: AbortSignal) {
    signal?.addEventListener('abort', () => this.fail(signal.reason), { once: true });
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  write(text: string | Uint8Array): this {
    this.#chunks.push(typeof text === 'string' ? Buffer.from(text) : text);
    this.#wake();
    return this;
  }

  end(): this {
    this.#end ??= {};
    this.#wake();
    return this;
  }

  fail(error: unknown): this {
    this.#end ??= { error };
    this.#wake();
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.#end !== undefined) return this.#finish(this.#end);
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #finish(end: { readonly error?: unknown }): void {
    if ('error' in end) throw end.error;
  }
}

export function bodyOf(text: string): BodyPipe {
  return new BodyPipe().write(text).end();
}
