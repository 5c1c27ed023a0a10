import type { KubeObject } from '../model/kube-object.ts';
import type { Clock } from '../runtime/clock.ts';
import {
  type ApiCall,
  type ApiConnection,
  call,
  callPatiently,
  describe,
  openStream,
  parseAnswer,
} from './api-call.ts';
import type {
  CallOptions,
  Cluster,
  DeleteOptions,
  DeleteOutcome,
  ListOptions,
  ListPage,
  Projection,
  WatchOptions,
  WriteOptions,
} from './cluster.ts';
import { listPages } from './list-pages.ts';
import { dropManagedFields } from './parse-json.ts';
import { type Patch, patchContentType } from './patch.ts';
import { queryString } from './query-string.ts';
import {
  apiVersionOf,
  collectionPath,
  keyOf,
  type ObjectRef,
  objectPath,
  type Resource,
  refOf,
} from './resource.ts';
import { Slots } from './slots.ts';
import type { Transport } from './transport.ts';
import type { WatchEvent } from './watch-event.ts';
import { readWatchStream } from './watch-stream.ts';

export interface HttpClusterOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Name and version of the program, as the API server's audit log shows it. */
  readonly userAgent?: string;
  /** Calls under way at once; watches and urgent calls come on top. */
  readonly mostCalls?: number;
}

/** The API server over HTTP. Every call is sent as soon as a slot is free: nothing here slows a burst down. */
export class HttpCluster implements Cluster {
  readonly #connection: ApiConnection;

  constructor({ transport, clock, userAgent = 'purelb', mostCalls = 64 }: HttpClusterOptions) {
    this.#connection = { transport, clock, userAgent, slots: new Slots(mostCalls) };
  }

  async get<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options: CallOptions = {},
  ): Promise<T> {
    const operation = `get ${resource.plural} ${keyOf(ref)}`;
    const path = objectPath(resource, ref);
    const request: ApiCall = { operation, method: 'GET', path, ...options };
    return toObject(await callPatiently(this.#connection, request), operation);
  }

  list<T extends KubeObject>(
    resource: Resource<T>,
    options: ListOptions<T> = {},
  ): AsyncIterable<ListPage<T>> {
    return listPages(this.#connection, resource, options);
  }

  async watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions<T>,
    onEvents: (events: readonly WatchEvent<T>[]) => void,
  ): Promise<void> {
    const {
      silenceMs,
      signal,
      withinMs,
      project = ((object) => object) as Projection<T>,
    } = options;
    const operation = `watch ${resource.plural}`;
    const path = collectionPath(resource, options.namespace) + watchQuery(options);
    const request: ApiCall = { operation, method: 'GET', path, signal, withinMs };
    const body = await openStream(this.#connection, request, silenceMs);
    try {
      await readWatchStream(body, operation, project, onEvents);
    } catch (error) {
      throw describe(error, request);
    }
  }

  async create<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: Omit<WriteOptions, 'subresource'> = {},
  ): Promise<T> {
    const { namespace, name } = object.metadata;
    const path = collectionPath(resource, namespace);
    const operation = `create ${resource.plural} ${keyOf({ namespace, name })}`;
    return this.#write({ operation, method: 'POST', path }, typed(resource, object), options);
  }

  async replace<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const ref = refOf(object);
    const path = objectPath(resource, ref, options.subresource);
    const operation = describeWrite('replace', resource, ref, options);
    return this.#write({ operation, method: 'PUT', path }, typed(resource, object), options);
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = objectPath(resource, ref, options.subresource);
    const operation = describeWrite(
      patch.type === 'apply' ? 'apply' : 'patch',
      resource,
      ref,
      options,
    );
    const body = patch.type === 'json' ? patch.operations : patch.body;
    const force = patch.type === 'apply' && patch.isForced ? true : undefined;
    const contentType = patchContentType[patch.type];
    const request = { operation, method: 'PATCH', path, contentType } as const;
    return this.#write(request, body, { ...options, force });
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    { preconditions, propagation, graceSeconds, ...options }: DeleteOptions = {},
  ): Promise<DeleteOutcome<T>> {
    const operation = `delete ${resource.plural} ${keyOf(ref)}`;
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...(preconditions === undefined ? {} : { preconditions }),
      ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
      ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
    };
    const path = objectPath(resource, ref);
    const answer = await this.#write<T>({ operation, method: 'DELETE', path }, body, options);
    return isLingering(answer) ? { isGone: false, object: answer } : { isGone: true };
  }

  async getText(path: string, options: CallOptions = {}): Promise<string> {
    const request: ApiCall = { operation: `get ${path}`, method: 'GET', path, ...options };
    return (await callPatiently(this.#connection, request)).toString('utf8');
  }

  async #write<T extends KubeObject>(
    request: ApiCall,
    body: object,
    options: WriteOptions & { readonly force?: boolean | undefined },
  ): Promise<T> {
    const { signal, isUrgent, withinMs, isGivenUp, isDryRun, fieldManager, force } = options;
    const isTimed = isGivenUp === true && withinMs !== undefined;
    const query = queryString({
      fieldManager,
      force,
      dryRun: isDryRun === true ? 'All' : undefined,
      timeout: isTimed ? `${Math.ceil(withinMs)}ms` : undefined,
    });
    const answer = await call(this.#connection, {
      contentType: 'application/json',
      ...request,
      path: request.path + query,
      body: JSON.stringify(body),
      signal,
      isUrgent,
      withinMs,
    });
    return toObject(answer, request.operation);
  }
}

function describeWrite(verb: string, resource: Resource, ref: ObjectRef, options: WriteOptions) {
  const subresource = options.subresource === undefined ? '' : `/${options.subresource}`;
  return `${verb} ${resource.plural}${subresource} ${keyOf(ref)}`;
}

function watchQuery(options: WatchOptions<never> | WatchOptions<KubeObject>): string {
  const { version, isWithInitialEvents, timeoutSeconds, labelSelector, fieldSelector } = options;
  const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
  return queryString({
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds,
    labelSelector,
    fieldSelector,
    resourceVersion: version,
    ...(isWithInitialEvents === true ? initial : {}),
  });
}

function typed<T extends KubeObject>(resource: Resource<T>, object: T): T {
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function toObject<T extends KubeObject>(answer: Buffer, operation: string): T {
  const object = parseAnswer<T>(answer, operation);
  return object.metadata === undefined ? object : (dropManagedFields(object) as T);
}

/** The answer to a deletion is a Status, or the object: as it was, or still there until somebody lets it go. */
function isLingering({ kind, metadata }: KubeObject): boolean {
  if (kind === 'Status' || metadata?.deletionTimestamp === undefined) return false;
  return (metadata.finalizers?.length ?? 0) > 0 || kind === 'Namespace' || kind === 'Pod';
}
