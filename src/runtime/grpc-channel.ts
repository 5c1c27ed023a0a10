/** Calls of gRPC over HTTP/2 without TLS, to a program on the same machine. */

import http2, {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import { connect } from 'node:net';
import type { Clock } from './clock.ts';
import { GrpcError, grpcStatus } from './grpc-error.ts';
import { FrameSplitter, frameMessage } from './grpc-frames.ts';
import type { MessageType } from './protobuf.ts';
import { ProtobufError } from './protobuf-wire.ts';

export interface GrpcMethod<Request, Answer> {
  /** Such as `/api.GoBgpService/GetBgp`. */
  readonly path: string;
  readonly request: MessageType<unknown, Request>;
  readonly answer: MessageType<Answer, never>;
}

export interface GrpcCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Of the whole call; a stream that is to stay open has none. */
  readonly withinMs?: number | undefined;
}

export interface GrpcChannelOptions {
  /** `unix:///run/x.sock`, or host and port. */
  readonly target: string;
  readonly clock: Clock;
  readonly longestMessage?: number;
}

const usualWithinMs = 5_000;
const usualLongest = 16 << 20;

export class GrpcChannel {
  readonly #options: GrpcChannelOptions;
  #session: ClientHttp2Session | undefined;

  constructor(options: GrpcChannelOptions) {
    this.#options = options;
  }

  /** One request, one answer. Throws a `GrpcError`, or the signal's reason once that is aborted. */
  async call<Request, Answer>(
    method: GrpcMethod<Request, Answer>,
    request: Request,
    options: GrpcCallOptions = {},
  ): Promise<Answer> {
    return this.send(method, [request], options);
  }

  /** Many requests, one answer. */
  async send<Request, Answer>(
    method: GrpcMethod<Request, Answer>,
    requests: Iterable<Request>,
    { signal, withinMs = usualWithinMs }: GrpcCallOptions = {},
  ): Promise<Answer> {
    const answers: Answer[] = [];
    for await (const answer of this.#exchange(method, requests, { signal, withinMs })) {
      answers.push(answer);
    }
    const [answer] = answers;
    if (answer === undefined) throw new GrpcError(grpcStatus.internal, 'no message in the answer');
    return answer;
  }

  /** One request, any number of answers. */
  stream<Request, Answer>(
    method: GrpcMethod<Request, Answer>,
    request: Request,
    options: GrpcCallOptions = {},
  ): AsyncGenerator<Answer, void, void> {
    return this.#exchange(method, [request], options);
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  async *#exchange<Request, Answer>(
    { path, request, answer }: GrpcMethod<Request, Answer>,
    requests: Iterable<Request>,
    { signal, withinMs }: GrpcCallOptions,
  ): AsyncGenerator<Answer, void, void> {
    signal?.throwIfAborted();
    const { clock, longestMessage = usualLongest } = this.#options;
    const exchange = new Exchange(this.#connect().request(headersOf(path)));
    const onAbort = () => exchange.cancel(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    const cancelDeadline = clock.after(withinMs ?? Infinity, () => {
      const text = `no answer from ${this.#options.target} within ${withinMs} ms`;
      exchange.cancel(new GrpcError(grpcStatus.deadlineExceeded, text));
    });
    try {
      exchange.send(Array.from(requests, (each) => frameMessage(request.encode(each))));
      const splitter = new FrameSplitter(longestMessage);
      for await (const chunk of exchange.chunks()) {
        for (const message of splitter.push(chunk)) yield decoded(answer, message);
      }
      exchange.conclude(splitter.isInside);
    } finally {
      cancelDeadline();
      signal?.removeEventListener('abort', onAbort);
      exchange.close();
    }
  }

  #connect(): ClientHttp2Session {
    const known = this.#session;
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const { target } = this.#options;
    const session = target.startsWith('unix://')
      ? http2.connect('http://localhost', { createConnection: () => connect(target.slice(7)) })
      : http2.connect(`http://${target}`);
    const drop = () => {
      if (this.#session === session) this.#session = undefined;
    };
    // Each call that was open reports its own failure.
    session.on('error', drop).on('close', drop).on('goaway', drop);
    this.#session = session;
    return session;
  }
}

function headersOf(path: string) {
  return {
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc+proto',
    te: 'trailers',
  };
}

function decoded<Answer>(type: MessageType<Answer, never>, bytes: Uint8Array): Answer {
  try {
    return type.decode(bytes);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new GrpcError(grpcStatus.internal, `the answer cannot be read: ${error.message}`);
  }
}

/** One call on the wire. */
class Exchange {
  readonly #stream: ClientHttp2Stream;
  #status: number | undefined;
  #text = '';
  #reason: unknown;

  constructor(stream: ClientHttp2Stream) {
    this.#stream = stream;
    const note = (headers: IncomingHttpHeaders) => this.#note(headers);
    // A call that fails at once has its status in the headers, others after their messages.
    stream.on('response', note).on('trailers', note);
    // What it says is thrown where the chunks are awaited; without a listener it would end the process.
    stream.on('error', () => {});
  }

  send(frames: readonly Uint8Array[]): void {
    for (const frame of frames) this.#stream.write(frame);
    this.#stream.end();
  }

  cancel(reason: unknown): void {
    this.#reason ??= reason ?? new GrpcError(grpcStatus.cancelled, 'cancelled');
    this.#stream.destroy();
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, void> {
    try {
      for await (const chunk of this.#stream as AsyncIterable<Uint8Array>) yield chunk;
    } catch (error) {
      throw this.#failure(error instanceof Error ? error.message : String(error));
    }
  }

  /** Throws unless the server said that all went well. */
  conclude(isInside: boolean): void {
    if (this.#reason !== undefined || this.#status !== 0) {
      throw this.#failure('the connection ended before the answer');
    }
    if (isInside) throw new GrpcError(grpcStatus.internal, 'the answer ends in a message');
  }

  close(): void {
    if (!this.#stream.closed) this.#stream.close(http2.constants.NGHTTP2_CANCEL);
  }

  #failure(what: string): unknown {
    if (this.#reason !== undefined) return this.#reason;
    const isSaid = this.#status !== undefined && this.#status !== 0;
    return isSaid
      ? new GrpcError(this.#status ?? grpcStatus.unknown, this.#text)
      : new GrpcError(grpcStatus.unavailable, what);
  }

  #note(headers: IncomingHttpHeaders): void {
    const { 'grpc-status': status, 'grpc-message': text, ':status': http } = headers;
    if (status !== undefined) {
      this.#status = Number(status);
      this.#text = decodeText(String(text ?? ''));
    } else if (http !== undefined && Number(http) !== 200) {
      this.#status = grpcStatus.unavailable;
      this.#text = `HTTP status ${http} instead of an answer`;
    }
  }
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
