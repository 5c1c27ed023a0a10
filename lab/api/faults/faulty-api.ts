/** The API server behind a network that can be made to fail: what the HTTP server and a simulation talk to. */

import { type Clock, sleep } from '../../../src/runtime/clock.ts';
import type { Api } from '../api.ts';
import {
  type ApiRequest,
  type ApiResponse,
  type ChunkSink,
  type ChunkStream,
  jsonResponse,
} from '../api-request.ts';
import { attributesOf } from '../auth/attributes.ts';
import { readRequestInfo } from '../request-info.ts';
import { seededIdentities } from '../rest/identities.ts';
import type { Fault, FaultMatch, FaultRule, WatchBreak } from './fault.ts';
import { type FaultHandle, FaultRules, type RequestSummary } from './fault-rules.ts';
import { injectedStatus } from './injected-status.ts';
import { errorEvent, OpenStream } from './open-stream.ts';

/** `reset`: the connection breaks without an answer. */
export type Outcome = ApiResponse | 'reset';

export class FaultyApi {
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #rules: FaultRules;
  readonly #streams = new Set<OpenStream>();
  #paused: PromiseWithResolvers<void> | undefined;

  constructor(api: Api, clock: Clock, seed = 1) {
    const { pick } = seededIdentities(seed);
    this.#api = api;
    this.#clock = clock;
    this.#rules = new FaultRules(() => pick(2 ** 32) / 2 ** 32);
  }

  add(rule: FaultRule): FaultHandle {
    return this.#rules.add(rule);
  }

  rules(): readonly FaultHandle[] {
    return this.#rules.all();
  }

  /** No more faults for new requests; a pause ends too. */
  clear(): void {
    this.#rules.clear();
    this.resume();
  }

  /** The whole server stands still: it accepts, and answers nothing, also on open watches. */
  pause(): void {
    this.#paused ??= Promise.withResolvers();
    for (const stream of this.#streams) stream.hold();
  }

  /** What waited is carried out now. */
  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
    for (const stream of this.#streams) stream.release();
  }

  /** Watches that are open say nothing until `releaseWatches`; everything else works: their readers know old things. */
  holdWatches(): void {
    for (const stream of this.#streams) stream.hold();
  }

  releaseWatches(): void {
    for (const stream of this.#streams) stream.release();
  }

  /** Returns how many open watches it hit. */
  breakWatches(what: WatchBreak, match: FaultMatch = {}): number {
    const hit = [...this.#streams].filter((stream) => stream.isFor(match));
    for (const stream of hit) {
      stream.break(what);
      if (what.how !== 'error') this.#streams.delete(stream);
    }
    return hit.length;
  }

  get openWatches(): number {
    return this.#streams.size;
  }

  async exchange(request: ApiRequest): Promise<Outcome> {
    const summary = this.#summarize(request);
    const { delayMs, fault } = this.#rules.strike(summary);
    if (delayMs > 0) await sleep(this.#clock, delayMs);
    while (this.#paused !== undefined) await this.#paused.promise;
    return this.#answer(request, summary, fault);
  }

  #answer(
    request: ApiRequest,
    summary: RequestSummary,
    fault: Fault | undefined,
  ): Outcome | Promise<Outcome> {
    if (fault === undefined) return this.#handle(request, summary);
    if (fault.kind === 'reset') return 'reset';
    if (fault.kind === 'hang') return new Promise(() => {});
    if (fault.kind === 'status') return refusal(fault.code, fault.retryAfterSeconds);
    if (fault.kind === 'empty-body') return withBody(jsonResponse(200, ''), '');
    if (fault.kind === 'error-event') return withBody(jsonResponse(200, ''), sayError(fault));
    const answer = this.#handle(request, summary);
    if (fault.kind === 'cut-body') return withBody(answer, shorten(answer.body, fault.bytes, true));
    if (fault.kind === 'stall-body') {
      return withBody(answer, shorten(answer.body, fault.bytes, false));
    }
    return 'reset';
  }

  /** Every stream goes through a gate of ours, so that it can be broken later. */
  #handle(request: ApiRequest, summary: RequestSummary): ApiResponse {
    const answer = this.#api.handle(request);
    const { body } = answer;
    if (typeof body === 'string') return answer;
    return withBody(answer, (sink) => {
      const stream = new OpenStream(summary, sink);
      this.#streams.add(stream);
      const stop = body(stream);
      return () => {
        this.#streams.delete(stream);
        stop();
      };
    });
  }

  #summarize(request: ApiRequest): RequestSummary {
    const [path = '', search = ''] = request.url.split('?', 2);
    const query = new URLSearchParams(search);
    const info = readRequestInfo(request.method, path, query);
    const attributes = attributesOf(info, query);
    const resource = 'path' in attributes ? path : attributes.resource;
    const { verb, namespace, name } = info;
    return { user: this.#api.userOf(request), verb, resource, namespace, name };
  }
}

function withBody(answer: ApiResponse, body: string | ChunkStream): ApiResponse {
  return { ...answer, body };
}

function refusal(code: number, retryAfterSeconds: number | undefined): ApiResponse {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` };
  return jsonResponse(code, injectedStatus(code, retryAfterSeconds), headers);
}

function sayError({ code, ends = false }: { readonly code: number; readonly ends?: boolean }) {
  return (sink: ChunkSink) => {
    sink.write(`${errorEvent(code)}\n`);
    if (ends) sink.end();
    return () => {};
  };
}

/** The first bytes of a body, and then a break or nothing. */
function shorten(body: string | ChunkStream, bytes: number, isCut: boolean): ChunkStream {
  return (sink) => {
    let left = bytes;
    const write = (chunk: string) => {
      if (left <= 0) return;
      const part = Buffer.from(chunk).subarray(0, left).toString('latin1');
      left -= part.length;
      sink.write(Buffer.from(part, 'latin1').toString());
      if (left <= 0 && isCut) sink.destroy();
    };
    if (typeof body !== 'string') {
      return body({ write, end: () => sink.end(), destroy: () => sink.destroy() });
    }
    write(body);
    if (left > 0 && isCut) sink.destroy();
    return () => {};
  };
}
