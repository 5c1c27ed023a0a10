import assert from 'node:assert/strict';
import { ManualClock } from '../../src/runtime/manual-clock.ts';
import { Api, type ApiOptions } from './api.ts';
import { isJsonObject, type JsonObject, parseJson } from './json.ts';
import { seededIdentities } from './rest/identities.ts';

export interface InProcessAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** An API server on a manual clock, asked without a network: every answer is there at once. */
export function inProcess(options: Partial<ApiOptions> = {}) {
  const clock = new ManualClock();
  const api = new Api({ clock, identities: seededIdentities(1), ...options });
  const send = (method: string, url: string, body?: unknown, type = 'application/json') => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = { 'content-type': type, 'user-agent': 'test/1' };
    return api.handle({ method, url, headers, body: text });
  };
  const ask = (method: string, url: string, body?: unknown, type?: string): InProcessAnswer => {
    const { status, body: text } = send(method, url, body, type);
    assert.ok(typeof text === 'string');
    const parsed = parseJson(text);
    return { status, body: isJsonObject(parsed) ? parsed : {} };
  };
  return {
    api,
    clock,
    get: (url: string) => ask('GET', url),
    post: (url: string, body: JsonObject) => ask('POST', url, body),
    put: (url: string, body: JsonObject) => ask('PUT', url, body),
    patch: (url: string, body: unknown) => ask('PATCH', url, body, 'application/merge-patch+json'),
    remove: (url: string) => ask('DELETE', url),
    watch: (url: string) => {
      const { body } = send('GET', url);
      assert.ok(typeof body !== 'string');
      return new InProcessWatch(body);
    },
  };
}

export class InProcessWatch {
  readonly lines: string[] = [];
  isEnded = false;
  readonly stop: () => void;

  constructor(stream: Exclude<ReturnType<Api['handle']>['body'], string>) {
    this.stop = stream({
      write: (chunk) => this.lines.push(...chunk.trimEnd().split('\n')),
      end: () => {
        this.isEnded = true;
      },
      destroy: () => {
        this.isEnded = true;
      },
    });
  }

  get events(): readonly { type: string; object: JsonObject }[] {
    return this.lines.map((line) => JSON.parse(line) as { type: string; object: JsonObject });
  }
}
