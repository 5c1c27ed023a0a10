/**
 * One request to Netbox → what is to be made of the answer. Netbox says 403 to everything about credentials, pages
 * instead of JSON, and 500 where it may have done it or not; that is sorted out here, once.
 */

import { failure, type SourceFailure } from './address-source.ts';
import {
  RestError,
  type RestReply,
  type RestRequest,
  type RestTransport,
} from './rest-transport.ts';

export interface NetboxApiOptions {
  readonly transport: RestTransport;
  /** Below which Netbox answers, such as `/netbox`; mostly empty. */
  readonly basePath: string;
  /** Asked again after a token was refused; throws what a person should know. */
  readonly readToken: () => Promise<string>;
}

export type Fields = Readonly<Record<string, unknown>>;

/** An answer that says something: done, or not done and why. */
export interface NetboxReply {
  readonly status: number;
  /** Undefined where there is none, or it is no JSON. */
  readonly body: unknown;
  readonly etag: string | undefined;
}

/** No such answer. For a write, `ambiguous` is: it may have been done, or may still be. */
export type NetboxOutcome = NetboxReply | SourceFailure;

export interface NetboxCall {
  readonly method: RestRequest['method'];
  /** Below `/api/`. */
  readonly path: string;
  readonly body?: Fields;
  readonly ifMatch?: string | undefined;
}

export class NetboxApi {
  readonly #options: NetboxApiOptions;
  #token: string | undefined;

  constructor(options: NetboxApiOptions) {
    this.#options = options;
  }

  close(): void {
    this.#options.transport.close();
  }

  async call(call: NetboxCall, signal: AbortSignal): Promise<NetboxOutcome> {
    const token = await this.#readToken();
    if (typeof token !== 'string') return token;
    const reply = await this.#send(call, token, signal);
    if ('kind' in reply) return reply;
    const outcome = judge(call, reply);
    if (!isFailed(outcome) && outcome.status === 403)
      return this.#explainDenial(outcome, token, signal);
    return outcome;
  }

  async #readToken(): Promise<string | SourceFailure> {
    try {
      this.#token ??= await this.#options.readToken();
      return this.#token;
    } catch (error) {
      return failure('denied', error instanceof Error ? error.message : String(error));
    }
  }

  async #send(
    { method, path, body, ifMatch }: NetboxCall,
    token: string,
    signal: AbortSignal,
  ): Promise<RestReply | SourceFailure> {
    const { transport, basePath } = this.#options;
    const keyword = token.startsWith('nbt_') ? 'Bearer' : 'Token';
    const headers = {
      accept: 'application/json',
      authorization: `${keyword} ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      return await transport.send(
        { method, path: `${basePath}/api/${path}`, headers, ...text },
        signal,
      );
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      return describeError(error, method);
    }
  }

  /** Every valid token may read the status: whose is refused there is refused altogether. */
  async #explainDenial(
    { body }: NetboxReply,
    token: string,
    signal: AbortSignal,
  ): Promise<SourceFailure> {
    const detail = describeBody(body);
    const probe = await this.#send({ method: 'GET', path: 'status/' }, token, signal);
    if ('kind' in probe) return probe;
    if (probe.status !== 403) {
      return failure(
        'denied',
        `does not permit it (${detail}): give the token's user view, add, change and delete on IP addresses, and view on prefixes, IP ranges, tenants and VRFs`,
      );
    }
    this.#token = undefined;
    return failure('denied', `refuses the API token: ${detail}`);
  }
}

export function isFailed(outcome: NetboxOutcome): outcome is SourceFailure {
  return 'kind' in outcome;
}

function judge({ method }: NetboxCall, reply: RestReply): NetboxOutcome {
  const { status, headers, body } = reply;
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  if (status >= 300 && status < 400) return describeRedirect(headers['location']);
  if (status >= 500) return describeFault(method, reply, isJson);
  if (status === 204) return { status, body: undefined, etag: undefined };
  const parsed = isJson ? parse(body) : undefined;
  // Only a proxy, another server or a wrong path answers in anything but JSON.
  if (parsed === undefined) return describeForeign(method, status);
  return { status, body: parsed.value, etag: headers['etag'] };
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function describeRedirect(location = '?'): SourceFailure {
  const where = location.slice(0, 100);
  return failure(
    'invalid',
    `answers with a redirect to ${where}: write url as it is after redirects, without a path of the web pages`,
  );
}

function describeFault(
  method: NetboxCall['method'],
  { status, body }: RestReply,
  isJson: boolean,
): SourceFailure {
  const { error } = fieldsOf(isJson ? parse(body)?.value : undefined);
  const why = typeof error === 'string' ? `: ${firstLine(error)}` : '';
  return failure(method === 'GET' ? 'unavailable' : 'ambiguous', `answers ${status}${why}`);
}

function describeForeign(method: NetboxCall['method'], status: number): SourceFailure {
  if (status === 404) {
    return failure(
      'invalid',
      'has no API there: check url, which is https://host or https://host/api',
    );
  }
  const reason = method === 'GET' ? 'unavailable' : 'ambiguous';
  const advice = status === 400 ? ': check scheme and port of url' : '';
  return failure(reason, `answers ${status} with something that is not JSON${advice}`);
}

function describeError({ code, message }: RestError, method: string): SourceFailure {
  switch (code) {
    case 'untrusted':
      return failure(
        'invalid',
        `has a certificate that is not trusted (${message}): set caBundle to the certificate of the authority that signed it`,
      );
    case 'expired':
      return failure('invalid', `has a certificate that is not valid now (${message}): renew it`);
    case 'misnamed':
      return failure(
        'invalid',
        `has a certificate for another name (${firstLine(message)}): write url with a name that is in it`,
      );
    case 'plain':
      return failure(
        'invalid',
        'does not speak TLS at that port: write http:// in url, or the port of https',
      );
    case 'unreachable':
      return failure('unavailable', `cannot be reached: ${message}`);
    case 'cut':
      return failure(method === 'GET' ? 'unavailable' : 'ambiguous', `does not answer: ${message}`);
    default:
      return code satisfies never;
  }
}

/** What a refusal says, short enough for a condition: `{detail}`, `{field: [text]}` or a list of those. */
export function describeBody(body: unknown): string {
  if (Array.isArray(body))
    return describeBody(body.find((each) => Object.keys(fieldsOf(each)).length > 0));
  const fields = fieldsOf(body);
  if (typeof fields['detail'] === 'string') return firstLine(fields['detail']);
  const texts = Object.entries(fields).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(' ') : JSON.stringify(value);
    return name === '__all__' ? text : `${name}: ${text}`;
  });
  return firstLine(texts.join('; ') || 'no reason given');
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
