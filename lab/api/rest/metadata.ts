/** What holds for the metadata of every kind when it is created or changed. */

import { badRequest, conflict, modifiedMeanwhile } from '../api-error.ts';
import { type ApiObject, timestamp } from '../api-object.ts';
import { equalJson } from '../json.ts';
import { keyOf } from '../resource.ts';
import type { Core, Scope } from './core.ts';
import { generateName } from './identities.ts';

/** The namespace of the path wins; another one in the body is a mistake. */
export function alignNamespace(object: ApiObject, scope: Scope): void {
  const { metadata } = object;
  if (!scope.resource.isNamespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace !== undefined && metadata.namespace !== scope.namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  metadata.namespace = scope.namespace;
}

export function alignName(object: ApiObject, scope: Scope): void {
  const { metadata } = object;
  if (metadata.name !== undefined && metadata.name !== scope.name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${scope.name})`,
    );
  }
  metadata.name = scope.name;
}

export function prepareNewMetadata(core: Core, object: ApiObject, scope: Scope): void {
  const { metadata } = object;
  if (metadata.name === undefined && metadata.generateName !== undefined) {
    metadata.name = freshName(core, metadata.generateName, scope);
  }
  metadata.uid = core.identities.uid();
  metadata.creationTimestamp = timestamp(core.clock.now());
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata['selfLink'];
  if (scope.resource.hasGeneration) metadata.generation = 1;
  else delete metadata.generation;
}

function freshName(core: Core, base: string, { resource, namespace }: Scope): string {
  const collection = core.store.collection(resource.collection);
  const prefix = resource.isNamespaced ? `${namespace}/` : '';
  let name = generateName(base, core.identities);
  for (let attempt = 0; attempt < 8 && collection.get(prefix + name) !== undefined; attempt += 1) {
    name = generateName(base, core.identities);
  }
  return name;
}

/** Fields that no client decides are taken over from the stored object. */
export function carryMetadata(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  metadata.uid ??= old.metadata.uid ?? '';
  carry(object, old, 'creationTimestamp');
  carry(object, old, 'generation');
  for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds']) {
    if (metadata[field] === undefined) carry(object, old, field);
  }
  delete metadata['selfLink'];
}

function carry(object: ApiObject, old: ApiObject, field: string): void {
  const value = old.metadata[field];
  if (value === undefined) delete object.metadata[field];
  else object.metadata[field] = value;
}

/** A PUT that names a uid is meant for that very object, not for a successor of the same name. */
export function checkUid({ metadata }: ApiObject, old: ApiObject, scope: Scope): void {
  const { resource, namespace, name } = scope;
  if (metadata.uid === undefined || metadata.uid === old.metadata.uid) return;
  const key = `/registry/${resource.plural}/${keyOf(resource, namespace, name)}`;
  throw conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${old.metadata.uid ?? ''}`,
  );
}

/** Compares what the caller saw with what is there: the optimistic lock. */
export function checkVersion({ metadata }: ApiObject, old: ApiObject, scope: Scope): void {
  const { resourceVersion = '' } = metadata;
  if (resourceVersion === '' || resourceVersion === old.metadata.resourceVersion) return;
  throw conflict(scope.resource, scope.name, modifiedMeanwhile);
}

/** True when something beside metadata and, where that is written apart, status has changed. */
export function isWishChanged(object: ApiObject, old: ApiObject, hasStatus: boolean): boolean {
  const fields = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const field of ['metadata', 'apiVersion', 'kind']) fields.delete(field);
  if (hasStatus) fields.delete('status');
  return [...fields].some((field) => !equalJson(object[field], old[field]));
}
