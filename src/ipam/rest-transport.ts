/** Requests to a server of other people: over plain HTTP or TLS, with limits on time and size, and without redirects. */

import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { Clock } from '../runtime/clock.ts';

export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** From the root of the server, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RestReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RestTransport {
  /** Throws a RestError, or the signal's reason. */
  send(request: RestRequest, signal: AbortSignal): Promise<RestReply>;
  close(): void;
}

/**
 * No answer came. `unreachable`: nothing was sent, so nothing was done. `cut`: it may have been, and may still be.
 * Of certificates: `expired`, `misnamed` (it is for another host), `untrusted`. `plain`: no TLS is spoken there.
 */
export class RestError extends Error {
  readonly code: 'unreachable' | 'untrusted' | 'expired' | 'misnamed' | 'plain' | 'cut';

  constructor(code: RestError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RestError';
    this.code = code;
  }
}

export interface HttpTransportOptions {
  /** Scheme, host and port. */
  readonly url: string;
  /** PEM; beside what is trusted anyway. */
  readonly ca: string | undefined;
  readonly clock: Clock;
  readonly withinMs?: number;
  readonly mostBytes?: number;
}

export class HttpTransport implements RestTransport {
  readonly #options: HttpTransportOptions;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #isTls: boolean;

  constructor(options: HttpTransportOptions) {
    const { url, ca } = options;
    this.#options = options;
    this.#isTls = url.startsWith('https:');
    const alive = { keepAlive: true, maxSockets: 8 };
    const trusted = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
    this.#agent = this.#isTls ? new HttpsAgent({ ...alive, ...trusted }) : new HttpAgent(alive);
  }

  close(): void {
    this.#agent.destroy();
  }

  async send(request: RestRequest, signal: AbortSignal): Promise<RestReply> {
    signal.throwIfAborted();
    const { clock, withinMs = 10_000 } = this.#options;
    const limit = new AbortController();
    const cancel = clock.after(withinMs, () => limit.abort());
    try {
      return await this.#exchange(request, AbortSignal.any([signal, limit.signal]));
    } catch (error) {
      signal.throwIfAborted();
      if (limit.signal.aborted) {
        throw new RestError('cut', `no answer within ${withinMs / 1000} s`, { cause: error });
      }
      throw error;
    } finally {
      cancel();
    }
  }

  #exchange(request: RestRequest, signal: AbortSignal): Promise<RestReply> {
    return new Promise((resolve, reject) => {
      const { url } = this.#options;
      const { method, path, headers, body = '' } = request;
      let isConnected = false;
      const length = { 'content-length': String(new TextEncoder().encode(body).length) };
      const all = body === '' ? headers : { ...headers, ...length };
      const options = { method, headers: all, agent: this.#agent, signal };
      const send = this.#isTls ? requestHttps : requestHttp;
      const outgoing = send(new URL(path, url), options, (incoming) => {
        this.#read(incoming).then(resolve, reject);
      });
      const onConnected = () => {
        isConnected = true;
      };
      outgoing.on('socket', (socket) => {
        // One that was open already may have been used: what becomes of this request is not known.
        if (!socket.connecting) isConnected = true;
        else socket.once(this.#isTls ? 'secureConnect' : 'connect', onConnected);
      });
      outgoing.on('error', (error) => reject(describe(error, isConnected)));
      outgoing.end(body);
    });
  }

  async #read(incoming: IncomingMessage): Promise<RestReply> {
    const { mostBytes = 8 * 1024 * 1024 } = this.#options;
    const decoder = new TextDecoder();
    let [body, size] = ['', 0];
    try {
      for await (const chunk of incoming) {
        const bytes = chunk as Uint8Array;
        size += bytes.length;
        if (size > mostBytes)
          throw new RestError('cut', `an answer of more than ${mostBytes} bytes`);
        body += decoder.decode(bytes, { stream: true });
      }
    } catch (error) {
      incoming.destroy();
      throw error instanceof RestError ? error : describe(error, true);
    }
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
    return { status: incoming.statusCode ?? 0, headers, body };
  }
}

/** Codes of OpenSSL and of Node: nothing has been sent where one of these comes. */
const handshake: readonly (readonly [RegExp, RestError['code']])[] = [
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'expired'],
  [/ALTNAME/, 'misnamed'],
  [/CERT|SELF_SIGNED|UNABLE_TO/, 'untrusted'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/, 'plain'],
];

function describe(error: unknown, isConnected: boolean): RestError {
  const { code = '', message } = error as Error & { readonly code?: string };
  const known = handshake.find(([pattern]) => pattern.test(code))?.[1];
  if (known !== undefined) return new RestError(known, message, { cause: error });
  const isPlain = code === 'EPROTO' && /wrong version number|packet length too long/.test(message);
  if (isPlain) return new RestError('plain', message, { cause: error });
  const text = message === '' ? code : message;
  return new RestError(isConnected ? 'cut' : 'unreachable', text, { cause: error });
}
