/** Requests go to an API server in the same process, on any clock, and can be made to die with their sender. */

import type { ApiRequest, ApiResponse, ChunkStream } from '../../lab/api/api-request.ts';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '../../src/kube/transport.ts';
import { type Clock, sleep } from '../../src/runtime/clock.ts';

export interface ApiExchange {
  exchange(request: ApiRequest): Promise<ApiResponse | 'reset'>;
}

/** What happens to a write on its way; `sent` has been carried out, the answer is lost. */
export type Fate = 'answered' | 'sent' | 'lost';

export interface MemoryTransportOptions {
  readonly api: ApiExchange;
  readonly token: string;
  readonly clock: Clock;
  /** Milliseconds that each request and each answer take. */
  readonly latencyMs?: () => number;
  /** Milliseconds by which each event of a watch comes late, in order all the same. */
  readonly lagMs?: (path: string) => number;
  /** Asked before each write. Anything but `answered` is the sender's end. */
  readonly fateOf?: (write: TransportRequest) => Fate;
}

export class MemoryTransport implements Transport {
  readonly #options: MemoryTransportOptions;
  readonly #death = new AbortController();
  /** Every write that was carried out, as `PATCH /path`. */
  readonly writes: string[] = [];

  constructor(options: MemoryTransportOptions) {
    this.#options = options;
  }

  get isDead(): boolean {
    return this.#death.signal.aborted;
  }

  /** Nothing is sent or heard any more. */
  die(): void {
    this.#death.abort(new TransportError('reset', 'its sender is dead'));
  }

  async exchange(request: TransportRequest): Promise<TransportResponse> {
    this.#throwIfOver(request);
    const fate = request.method === 'GET' ? 'answered' : this.#fateOf(request);
    if (fate !== 'answered') this.die();
    if (fate === 'lost') this.#throwIfOver(request);
    const signal = AbortSignal.any([request.signal, this.#death.signal]);
    const answer = await orAbort(this.#send(request), signal);
    if (answer === 'reset') throw new TransportError('reset', 'the connection broke');
    const { status, headers, body } = answer;
    return {
      status,
      headers,
      body: async (onChunk) => {
        if (typeof body === 'string') onChunk(Buffer.from(body));
        else await this.#follow(body, request.path, signal, onChunk);
      },
    };
  }

  #fateOf(request: TransportRequest): Fate {
    return this.#options.fateOf?.(request) ?? 'answered';
  }

  #throwIfOver({ signal }: TransportRequest): void {
    signal.throwIfAborted();
    if (this.isDead) throw this.#death.signal.reason;
  }

  /** What was sent arrives, even if its sender has given up or died meanwhile. */
  async #send({ method, path: url, headers, body = '' }: TransportRequest) {
    if (method !== 'GET') this.writes.push(`${method} ${url.replace(/\?.*/, '')}`);
    const { api, token, clock, latencyMs = () => 0 } = this.#options;
    const signed = { ...headers, authorization: `Bearer ${token}` };
    await pass(clock, latencyMs());
    const answer = await api.exchange({ method, url, headers: signed, body });
    await pass(clock, latencyMs());
    return answer;
  }

  async #follow(
    body: ChunkStream,
    path: string,
    signal: AbortSignal,
    onChunk: (chunk: Uint8Array) => void,
  ): Promise<void> {
    const { clock, lagMs = () => 0 } = this.#options;
    const chunks = new ChunkQueue();
    const stop = body({
      write: (chunk) => chunks.push(chunk),
      end: () => chunks.push(undefined),
      destroy: () => chunks.push(undefined),
    });
    try {
      for (let chunk = await chunks.next(signal); chunk !== undefined; ) {
        await pass(clock, lagMs(path), signal);
        onChunk(Buffer.from(chunk));
        chunk = await chunks.next(signal);
      }
    } finally {
      stop();
    }
  }
}

/** Undefined is the end. */
class ChunkQueue {
  readonly #chunks: (string | undefined)[] = [];
  #wake = () => {};

  push(chunk: string | undefined): void {
    this.#chunks.push(chunk);
    this.#wake();
  }

  async next(signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    if (this.#chunks.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await orAbort(promise, signal);
    }
    return this.#chunks.shift();
  }
}

/** No time at all is not even a turn of the clock. */
async function pass(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(clock, ms, signal);
}

/** Nobody waits for an answer that never comes. */
async function orAbort<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([answer, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
