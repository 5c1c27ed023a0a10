import { Agent, request } from 'node:https';
import type { Credentials } from './kubeconfig.ts';

export interface Answer {
  readonly status: number;
  /** The JSON that came back, or the text where it was none. */
  readonly body: unknown;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Of a PATCH: `merge` unless said otherwise. */
  readonly patch?: 'merge' | 'strategic-merge' | 'apply';
  readonly timeoutMs?: number;
}

/** Asks an API server without retrying anything: for the lab to write objects, and for tests to look. */
export class ApiClient {
  readonly #url: string;
  readonly #agent: Agent;
  readonly #token: string | undefined;

  constructor(url: string, ca: string, credentials: Credentials) {
    this.#url = url;
    const own = 'cert' in credentials ? credentials : {};
    this.#token = 'token' in credentials ? credentials.token : undefined;
    this.#agent = new Agent({ keepAlive: true, ca, ...own });
  }

  async send({
    method,
    path,
    body,
    patch = 'merge',
    timeoutMs = 10_000,
  }: ApiRequest): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const headers = {
      accept: 'application/json',
      ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
      ...(body === undefined ? {} : { 'content-type': contentType(method, patch) }),
    };
    const signal = AbortSignal.timeout(timeoutMs);
    const asked = request(`${this.#url}${path}`, { method, headers, agent: this.#agent, signal });
    asked.on('error', reject);
    asked.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, body: readBody(text) });
      });
    });
    asked.end(body === undefined ? undefined : JSON.stringify(body));
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function contentType(method: ApiRequest['method'], patch: ApiRequest['patch']): string {
  if (method !== 'PATCH') return 'application/json';
  return patch === 'apply' ? 'application/apply-patch+yaml' : `application/${patch}-patch+json`;
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
