/** How a controller reads and writes: the same rules as for a client, without a network and without waiting. */

import { ApiError } from '../api-error.ts';
import { type ApiObject, timestamp } from '../api-object.ts';
import { cloneJson, equalJson, type JsonObject } from '../json.ts';
import { keyOf, type Resource } from '../resource.ts';
import type { Core, WriteOptions } from '../rest/core.ts';
import { createObject } from '../rest/create.ts';
import { type DeleteOptions, removeObject } from '../rest/remove.ts';
import { replaceObject } from '../rest/update.ts';

const deletion: DeleteOptions = {
  gracePeriodSeconds: undefined,
  propagation: 'Background',
  isDryRun: false,
  uid: '',
  resourceVersion: '',
};

export class Hands {
  readonly core: Core;
  readonly #name: string;

  constructor(core: Core, name: string) {
    this.core = core;
    this.#name = name;
  }

  get now(): number {
    return this.core.clock.now();
  }

  get timestamp(): string {
    return timestamp(this.now);
  }

  get(collection: string, key: string): ApiObject | undefined {
    return this.core.store.collection(collection).get(key);
  }

  /** In one namespace, or everywhere. */
  list(collection: string, namespace = ''): readonly ApiObject[] {
    const prefix = namespace === '' ? '' : `${namespace}/`;
    return [...this.core.store.collection(collection).entries({ prefix })].map(([, it]) => it);
  }

  create(collection: string, namespace: string, body: JsonObject): ApiObject {
    const resource = this.#resource(collection);
    const scope = { resource, namespace, name: '', subresource: '' };
    return createObject(this.core, scope, body, this.#options());
  }

  /** Writes the object with these changes; the status is left as it is. */
  replace(collection: string, object: ApiObject, change: (copy: ApiObject) => void): ApiObject {
    return this.#write(collection, object, change, '');
  }

  /** Writes nothing when the status is that already. */
  writeStatus(collection: string, object: ApiObject, status: JsonObject): ApiObject {
    if (equalJson(object.status, status)) return object;
    const change = (copy: ApiObject) => {
      copy.status = status;
    };
    return this.#write(collection, object, change, 'status');
  }

  remove(collection: string, object: ApiObject, options: Partial<DeleteOptions> = {}): void {
    const scope = this.#scopeOf(collection, object, '');
    if (this.#find(collection, object) === undefined) return;
    removeObject(this.core, scope, { ...deletion, ...options });
  }

  /** Tells what happened to the object, in an event beside it. */
  record(object: ApiObject, [type, reason]: readonly [string, string], message: string): void {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = object.metadata;
    const place = namespace === '' ? 'default' : namespace;
    const suffix = this.core.identities.uid().replaceAll('-', '').slice(0, 16);
    const time = this.timestamp;
    const { apiVersion, kind } = object;
    try {
      this.create('events', place, {
        metadata: { name: `${name}.${suffix}` },
        involvedObject: { apiVersion, kind, namespace, name, uid, resourceVersion },
        source: { component: this.#name },
        reportingComponent: this.#name,
        ...{ type, reason, message, count: 1, firstTimestamp: time, lastTimestamp: time },
      });
    } catch (error) {
      // In a namespace that is going nobody reads events any more.
      if (!(error instanceof ApiError) || error.code !== 403) throw error;
    }
  }

  #write(
    collection: string,
    object: ApiObject,
    change: (copy: ApiObject) => void,
    subresource: string,
  ): ApiObject {
    const copy = cloneJson(this.#find(collection, object) ?? object);
    change(copy);
    const scope = this.#scopeOf(collection, object, subresource);
    return replaceObject(this.core, scope, copy, this.#options()).object;
  }

  #find(collection: string, object: ApiObject): ApiObject | undefined {
    const { namespace = '', name = '' } = object.metadata;
    return this.get(collection, keyOf(this.#resource(collection), namespace, name));
  }

  #scopeOf(collection: string, { metadata }: ApiObject, subresource: string) {
    const resource = this.#resource(collection);
    return {
      resource,
      namespace: metadata.namespace ?? '',
      name: metadata.name ?? '',
      subresource,
    };
  }

  #resource(collection: string): Resource {
    const found = this.core.registry.all().find((it) => it.collection === collection);
    if (found === undefined) throw new Error(`no collection ${collection}`);
    return found;
  }

  #options(): WriteOptions {
    return {
      isDryRun: false,
      fieldManager: 'kube-controller-manager',
      fieldValidation: 'Ignore',
      isForced: false,
      user: `system:serviceaccount:kube-system:${this.#name}`,
      warnings: [],
    };
  }
}
