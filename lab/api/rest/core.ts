/** What every request handler works with. */

import type { Clock } from '../../../src/runtime/clock.ts';
import type { Admit } from '../admission/admission.ts';
import type { ApiObject } from '../api-object.ts';
import type { Registry } from '../registry.ts';
import { keyOf, type Resource } from '../resource.ts';
import type { Store } from '../store/store.ts';
import type { Identities } from './identities.ts';

export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly identities: Identities;
}

/** Which objects a request is about. */
export interface Scope {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  readonly isForced: boolean;
  readonly user: string;
  /** Null is a value, as server-side apply has it for custom resources. */
  readonly keepsNulls?: boolean;
  /** Collects what goes into Warning headers. */
  readonly warnings: string[];
  /** What policies say about it; absent where the server itself writes. */
  readonly admit?: Admit;
}

/** A stored object as this resource's version shows it. */
export function viewOf(resource: Resource, stored: ApiObject): ApiObject {
  return resource.strategy.fromStorage?.(stored) ?? stored;
}

export function findStored(core: Core, scope: Scope): ApiObject | undefined {
  const { resource, namespace, name } = scope;
  return core.store.collection(resource.collection).get(keyOf(resource, namespace, name));
}

/** Stores the object unless this is a rehearsal, and returns it as the caller's version shows it. */
export function commit(
  core: Core,
  resource: Resource,
  object: ApiObject,
  { isDryRun }: { isDryRun: boolean },
): ApiObject {
  const stored = resource.strategy.toStorage?.(object) ?? object;
  if (isDryRun) return viewOf(resource, stored);
  const { namespace = '', name = '' } = object.metadata;
  return viewOf(
    resource,
    core.store.put(resource.collection, keyOf(resource, namespace, name), stored),
  );
}
