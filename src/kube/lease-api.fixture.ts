/** An API server that knows one Lease, for several candidates on one clock. */

import type { Clock } from '../runtime/clock.ts';
import { sleep } from '../runtime/clock.ts';
import { answering, BodyPipe } from './body-pipe.fixture.ts';
import type { LeaseObject } from './lease-object.ts';
import { connectionRefused, line, ok, status } from './scripted-api.fixture.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

export class LeaseApi {
  lease: LeaseObject | undefined;
  /** Writes that were carried out: `create a`, `replace a→b`, … by holder. */
  readonly writes: string[] = [];
  #version = 10;
  #watches: BodyPipe[] = [];

  /** What one candidate sees; it can be cut off, or slow, by itself. */
  connect(clock: Clock): Transport & { isCut: boolean; latencyMs: number } {
    const connection = {
      isCut: false,
      latencyMs: 0,
      exchange: async (request: TransportRequest): Promise<TransportResponse> => {
        if (connection.isCut) throw connectionRefused();
        await sleep(clock, connection.latencyMs / 2, request.signal);
        const answer = this.#answer(request);
        await sleep(clock, connection.latencyMs / 2, request.signal);
        return answer;
      },
    };
    return connection;
  }

  /** As if somebody wrote it. */
  set(lease: LeaseObject | undefined): LeaseObject | undefined {
    this.#version += 1;
    const before = this.lease;
    const uid = before?.metadata.uid ?? `uid-${this.#version}`;
    const resourceVersion = String(this.#version);
    this.lease = lease && { ...lease, metadata: { ...lease.metadata, uid, resourceVersion } };
    const gone = before && { ...before, metadata: { ...before.metadata, resourceVersion } };
    const kind = before === undefined ? 'ADDED' : 'MODIFIED';
    const event = this.lease === undefined ? line('DELETED', gone ?? {}) : line(kind, this.lease);
    this.#watches = this.#watches.filter((body) => !body.isOver);
    for (const body of this.#watches) body.write(event);
    return this.lease;
  }

  #answer({ method, path, body = '{}', signal }: TransportRequest): TransportResponse {
    if (path.includes('watch=true')) return this.#watch(signal);
    if (method === 'POST') return this.#create(JSON.parse(body) as LeaseObject);
    if (this.lease === undefined) return status(404, 'NotFound');
    if (method === 'GET') return this.#ok();
    if (method === 'DELETE') return this.#delete(preconditionsOf(body));
    return this.#replace(this.lease, JSON.parse(body) as LeaseObject);
  }

  #create(wanted: LeaseObject): TransportResponse {
    if (this.lease !== undefined) return status(409, 'AlreadyExists');
    this.writes.push(`create ${wanted.spec?.holderIdentity}`);
    this.set(wanted);
    return this.#ok();
  }

  #replace(current: LeaseObject, wanted: LeaseObject): TransportResponse {
    if (!isCurrent(current, wanted.metadata)) return status(409, 'Conflict');
    this.writes.push(`replace ${current.spec?.holderIdentity}→${wanted.spec?.holderIdentity}`);
    this.set(wanted);
    return this.#ok();
  }

  #delete(expected: { readonly resourceVersion?: string }): TransportResponse {
    if (this.lease && !isCurrent(this.lease, expected)) return status(409, 'Conflict');
    this.writes.push('delete');
    this.set(undefined);
    return ok('{"kind":"Status"}');
  }

  #ok(): TransportResponse {
    return ok(JSON.stringify(this.lease));
  }

  #watch(signal: AbortSignal): TransportResponse {
    const body = new BodyPipe(signal);
    if (this.lease !== undefined) body.write(line('ADDED', this.lease));
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = { resourceVersion: String(this.#version), annotations };
    body.write(line('BOOKMARK', { metadata }));
    this.#watches.push(body);
    return answering(body);
  }
}

function preconditionsOf(body: string): { readonly resourceVersion?: string } {
  return (JSON.parse(body) as { preconditions: { resourceVersion: string } }).preconditions;
}

function isCurrent({ metadata }: LeaseObject, expected: { readonly resourceVersion?: string }) {
  return metadata.resourceVersion === expected.resourceVersion;
}
