import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import type { Json, JsonObject } from '../json.ts';
import type { ContractServer } from './contract-server.ts';
import { WatchReader } from './watch-reader.ts';

export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export const tableType =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';

interface Wish {
  readonly body?: unknown;
  readonly type?: string | undefined;
  readonly accept?: string | undefined;
}

/** Plain HTTP requests as one user, without any help. */
export class ContractClient {
  readonly #server: ContractServer;
  readonly #token: string | undefined;

  constructor(server: ContractServer, token: string | undefined) {
    this.#server = server;
    this.#token = token;
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  post(path: string, body: JsonObject): Promise<Answer> {
    return this.send('POST', path, body);
  }

  put(path: string, body: JsonObject): Promise<Answer> {
    return this.send('PUT', path, body);
  }

  delete(path: string, body?: JsonObject): Promise<Answer> {
    return this.send('DELETE', path, body);
  }

  patch(path: string, body: unknown, type: keyof typeof patchTypes = 'merge'): Promise<Answer> {
    return this.send('PATCH', path, body, patchTypes[type]);
  }

  /** As kubectl asks for what it prints. */
  table(path: string): Promise<Answer> {
    return this.getAs(path, tableType);
  }

  async getAs(path: string, accept: string): Promise<Answer> {
    return readAnswer(await this.#open('GET', path, { accept }));
  }

  async send(method: string, path: string, body?: unknown, type?: string): Promise<Answer> {
    return readAnswer(await this.#open(method, path, { body, type }));
  }

  /** `path` without `watch=true`. */
  async watch(path: string, accept?: string): Promise<WatchReader> {
    const url = `${path}${path.includes('?') ? '&' : '?'}watch=true`;
    return new WatchReader(await this.#open('GET', url, { accept }));
  }

  #open(method: string, path: string, { body, type, accept }: Wish): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { url, ca } = this.#server;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = {
      'user-agent': 'contract/1',
      ...(accept === undefined ? {} : { accept }),
      ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
      ...(body === undefined
        ? {}
        : {
            'content-type': type ?? 'application/json',
            'content-length': Buffer.byteLength(text),
          }),
    };
    const open = ca === undefined ? requestPlain : requestTls;
    const asked = open(`${url}${path}`, { method, headers, ...(ca === undefined ? {} : { ca }) });
    asked.on('response', resolve);
    asked.on('error', reject);
    asked.end(body === undefined ? undefined : text);
    return promise;
  }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: response.statusCode ?? 0, body: readBody(text), headers: response.headers };
}

function readBody(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
