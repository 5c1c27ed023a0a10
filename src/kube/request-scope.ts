/**
 * The life of one request: a signal of its own, aborted together with the caller's. `close` takes the listener off
 * the caller's signal again, since a signal that lives as long as the process would collect one per request.
 */
export class RequestScope {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;
  readonly #onAbort: () => void;

  constructor(parent?: AbortSignal) {
    this.#parent = parent;
    this.#onAbort = () => this.#controller.abort(parent?.reason);
    if (parent?.aborted === true) this.#onAbort();
    else parent?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  close(): void {
    this.#parent?.removeEventListener('abort', this.#onAbort);
  }
}
