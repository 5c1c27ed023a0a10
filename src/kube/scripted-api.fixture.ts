/** A small API server for one kind (Services), in process and on the manual clock, whose faults a test scripts. */

import type { KubeObject } from '../model/kube-object.ts';
import { answering, BodyPipe, bodyOf } from './body-pipe.fixture.ts';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

export interface OpenWatch {
  readonly query: URLSearchParams;
  readonly body: BodyPipe;
  /** Receives changes; a stalled one stays open and silent. */
  isLive: boolean;
}

/** Answers instead of the server; undefined lets the server answer. */
export type Fault = (
  request: TransportRequest,
) => TransportResponse | Promise<TransportResponse> | Error | undefined;

export class ScriptedApi implements Transport {
  readonly objects = new Map<string, KubeObject>();
  readonly history: Change[] = [];
  /** What was asked, as `list`, `list+` (a further page), `stream`, `watch 12`, or method and path. */
  readonly asked: string[] = [];
  /** Each answers one request, in order. */
  readonly faults: Fault[] = [];
  watches: OpenWatch[] = [];
  canStream = true;
  version = 100;
  /** Versions up to here are no longer kept. */
  compactedTo = 0;
  #uids = 0;

  async exchange(request: TransportRequest): Promise<TransportResponse> {
    this.asked.push(describeRequest(request));
    request.signal.throwIfAborted();
    const answer = this.faults.shift()?.(request) ?? this.#answer(request);
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** Creates or changes an object; a text stands for its spec. */
  set(name: string, spec: unknown = {}): KubeObject {
    this.version += 1;
    const known = this.objects.get(name);
    const object: KubeObject = {
      kind: 'Service',
      apiVersion: 'v1',
      metadata: {
        name,
        namespace: 'default',
        uid: known?.metadata.uid ?? `uid-${++this.#uids}`,
        resourceVersion: String(this.version),
      },
      spec,
    };
    this.objects.set(name, object);
    this.#record({ type: known === undefined ? 'ADDED' : 'MODIFIED', object });
    return object;
  }

  delete(name: string): void {
    const known = this.objects.get(name);
    if (known === undefined) return;
    this.version += 1;
    this.objects.delete(name);
    const metadata = { ...known.metadata, resourceVersion: String(this.version) };
    this.#record({ type: 'DELETED', object: { ...known, metadata } });
  }

  bookmark(): void {
    for (const { body } of this.#live()) body.write(line('BOOKMARK', bookmark(this.version)));
  }

  /** Forgets the history so far, as etcd's compaction does. */
  compact(): void {
    this.compactedTo = this.version;
  }

  /** Every watch that is open ends as `how` says. */
  endWatches(how: (watch: OpenWatch) => void): void {
    const open = this.watches;
    this.watches = [];
    for (const watch of open) {
      watch.isLive = false;
      how(watch);
    }
  }

  #live(): readonly OpenWatch[] {
    this.watches = this.watches.filter(({ body }) => !body.isOver);
    return this.watches.filter(({ isLive }) => isLive);
  }

  #record(change: Change): void {
    this.history.push(change);
    for (const { body } of this.#live()) body.write(line(change.type, change.object));
  }

  #answer(request: TransportRequest): TransportResponse | Error {
    const { pathname, searchParams: query } = new URL(request.path, 'http://api');
    if (request.method === 'PATCH') return this.#patch(pathname, request.body ?? '{}');
    if (request.method === 'DELETE') return this.#remove(pathname);
    return query.get('watch') === 'true' ? this.#watch(query, request.signal) : this.#list(query);
  }

  #patch(pathname: string, body: string): TransportResponse {
    const name = pathname.split('/')[6] ?? '';
    if (!this.objects.has(name)) return status(404, 'NotFound');
    return ok(JSON.stringify(this.set(name, (JSON.parse(body) as KubeObject).spec)));
  }

  #remove(pathname: string): TransportResponse {
    const name = pathname.split('/')[6] ?? '';
    if (!this.objects.has(name)) return status(404, 'NotFound');
    this.delete(name);
    return ok(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Success' }));
  }

  /** A page is cut from the state as it was at the first page, which the token carries. */
  #list(query: URLSearchParams): TransportResponse {
    const token = query.get('continue');
    const [version, start] = token === null ? [this.version, 0] : token.split(':').map(Number);
    if (version === undefined || version < this.compactedTo) return status(410, 'Expired');
    const all = this.#stateAt(version);
    const end = (start ?? 0) + Number(query.get('limit') ?? Infinity);
    const items = all.slice(start, end).map(({ kind: _, apiVersion: __, ...item }) => item);
    const next = end < all.length ? { continue: `${version}:${end}` } : {};
    return ok(JSON.stringify({ metadata: { resourceVersion: String(version), ...next }, items }));
  }

  #stateAt(version: number): readonly KubeObject[] {
    const state = new Map<string, KubeObject>();
    for (const { type, object } of this.history) {
      if (versionOf(object) > version) break;
      if (type === 'DELETED') state.delete(object.metadata.name);
      else state.set(object.metadata.name, object);
    }
    return [...state.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  #watch(query: URLSearchParams, signal: AbortSignal): TransportResponse {
    const body = new BodyPipe(signal);
    const isStream = query.get('sendInitialEvents') === 'true';
    if (isStream && !this.canStream) return status(422, 'Invalid');
    const from = Number(query.get('resourceVersion'));
    if (!isStream && from < this.compactedTo) return status(410, 'Expired');
    if (isStream) this.#writeState(body);
    else {
      const missed = this.history.filter(({ object }) => versionOf(object) > from);
      for (const { type, object } of missed) body.write(line(type, object));
    }
    this.watches.push({ query, body, isLive: true });
    return answering(body);
  }

  #writeState(body: BodyPipe): void {
    for (const object of this.objects.values()) body.write(line('ADDED', object));
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    body.write(line('BOOKMARK', bookmark(this.version, annotations)));
  }
}

export function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export function ok(text: string): TransportResponse {
  return { status: 200, headers: {}, body: bodyOf(text) };
}

export function status(
  code: number,
  reason: string,
  headers = {},
  details?: object,
): TransportResponse {
  const head = { kind: 'Status', apiVersion: 'v1', code, reason, message: reason };
  const body = JSON.stringify({ ...head, details });
  return { status: code, headers, body: bodyOf(body) };
}

/** No answer at all. */
export function hangs({ signal }: TransportRequest): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

export const connectionReset = () => new TransportError('reset', 'connection reset');
export const connectionRefused = () => new TransportError('connect', 'connection refused');

function bookmark(version: number, annotations = {}): object {
  return { kind: 'Service', metadata: { resourceVersion: String(version), annotations } };
}

function versionOf({ metadata }: KubeObject): number {
  return Number(metadata.resourceVersion);
}

function describeRequest({ method, path }: TransportRequest): string {
  const { pathname, searchParams: query } = new URL(path, 'http://api');
  if (method !== 'GET') return `${method} ${pathname}`;
  if (query.get('sendInitialEvents') === 'true') return 'stream';
  if (query.get('watch') === 'true') return `watch ${query.get('resourceVersion')}`;
  if (query.has('continue')) return 'list+';
  return query.has('limit') ? 'list' : 'list all';
}
