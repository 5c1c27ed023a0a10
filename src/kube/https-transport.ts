import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { Clock } from '../runtime/clock.ts';
import type { ApiServerConfig } from './api-server-config.ts';
import { plainHttp } from './plain-http.ts';
import { RotatingText } from './rotating-text.ts';
import { TlsAgent } from './tls-agent.ts';
import {
  type ResponseBody,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

const connectWithinMs = 10_000;

/** HTTP/1.1 over connections that are kept and used again. */
export class HttpsTransport implements Transport {
  readonly #url: URL;
  readonly #clock: Clock;
  readonly #agent: TlsAgent;
  readonly #token: RotatingText | undefined;

  constructor(config: ApiServerConfig, clock: Clock) {
    this.#url = parseServer(config);
    this.#clock = clock;
    this.#agent = new TlsAgent(config, clock);
    this.#token = config.token && new RotatingText(config.token, clock);
  }

  /** Tokens and authorities that were replaced on disk are noticed at the latest when the server refuses the old. */
  async exchange(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#sendTrusting(request);
    if (response.status !== 401 || !(await this.#token?.refresh())) return response;
    await response.body(() => {});
    return this.#send(request);
  }

  /** Ends all connections; exchanges under way fail. */
  close(): void {
    this.#agent.close();
  }

  async #sendTrusting(request: TransportRequest): Promise<TransportResponse> {
    try {
      return await this.#send(request);
    } catch (error) {
      const isDistrust = error instanceof TransportError && isCertificateError(error.cause);
      if (!isDistrust || !(await this.#agent.refresh())) throw error;
      return this.#send(request);
    }
  }

  async #send(request: TransportRequest): Promise<TransportResponse> {
    const [agent, token] = await this.#credentials();
    const { hostname, port, pathname, protocol } = this.#url;
    const { method, path, headers, body, signal } = request;
    signal.throwIfAborted();
    const send = protocol === 'https:' ? requestHttps : plainHttp().request;
    const outgoing = send({
      agent,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : port,
      method,
      path: pathname.replace(/\/$/, '') + path,
      headers: {
        ...headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    });
    const answered = receive(outgoing, signal, this.#clock);
    outgoing.end(body);
    return answered;
  }

  async #credentials() {
    try {
      return await Promise.all([this.#agent.get(), this.#token?.get()]);
    } catch (cause) {
      throw new TransportError('connect', `no credentials: ${messageOf(cause)}`, { cause });
    }
  }
}

/** Follows a request until its answer begins, or it has failed, or it is taken back. */
function receive(
  outgoing: ClientRequest,
  signal: AbortSignal,
  clock: Clock,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    let isConnected = false;
    const onAbort = () => outgoing.destroy(toError(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    outgoing.once('close', () => signal.removeEventListener('abort', onAbort));
    outgoing.once('socket', (socket) => {
      whenConnected(socket, clock, () => {
        isConnected = true;
      });
    });
    outgoing.once('response', (message) => {
      const { statusCode = 0 } = message;
      const body = readChunks(message, signal);
      resolve({ status: statusCode, headers: flatHeaders(message), body });
    });
    outgoing.on('error', (cause) => {
      if (signal.aborted) reject(signal.reason);
      else if (cause instanceof TransportError) reject(cause);
      else reject(faultOf(cause, isConnected, outgoing.reusedSocket));
    });
  });
}

function whenConnected(socket: Socket, clock: Clock, callback: () => void): void {
  const { secureConnecting } = socket as Socket & { readonly secureConnecting?: boolean };
  if (secureConnecting !== true && !socket.connecting) {
    callback();
    return;
  }
  const cancel = clock.after(connectWithinMs, () => {
    const text = `no connection within ${connectWithinMs / 1000} s`;
    socket.destroy(new TransportError('connect', text));
  });
  socket.once('close', cancel);
  socket.once(secureConnecting === undefined ? 'connect' : 'secureConnect', () => {
    cancel();
    callback();
  });
}

function readChunks(message: IncomingMessage, signal: AbortSignal): ResponseBody {
  return (onChunk) =>
    new Promise((resolve, reject) => {
      const breakOff = (cause: unknown) => {
        const text = `the answer broke off: ${messageOf(cause)}`;
        reject(signal.aborted ? signal.reason : new TransportError('reset', text, { cause }));
      };
      message.once('end', resolve);
      message.once('error', breakOff);
      // A message that failed before it was read tells so no more.
      if (message.destroyed && !message.complete) breakOff(message.errored ?? 'closed');
      message.on('data', (chunk: Buffer) => {
        try {
          onChunk(chunk);
        } catch (error) {
          reject(error);
          message.destroy();
        }
      });
    });
}

function faultOf(cause: unknown, isConnected: boolean, wasReused: boolean): TransportError {
  if (isConnected) {
    const text = `the connection ended without an answer: ${messageOf(cause)}`;
    return new TransportError('reset', text, { cause, wasReused });
  }
  return new TransportError('connect', `no connection: ${messageOf(cause)}`, { cause });
}

function flatHeaders({ headers }: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Codes of OpenSSL's verification, and Node's for a name that does not fit. */
function isCertificateError(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /CERT|SIGNATURE|ISSUER|CRL/.test(code);
}

function parseServer({ server, token }: ApiServerConfig): URL {
  const url = URL.parse(server);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new TypeError(`"${server}" is not the http(s) URL of an API server`);
  }
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && token !== undefined && !isLocal) {
    throw new TypeError(`a token is not sent in the clear to ${server}: use https`);
  }
  return url;
}

/** An attempt at several addresses fails with an error that has a code but no message. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
