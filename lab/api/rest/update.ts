import { invalid, notFound } from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import { trackUpdate } from '../apply/track-update.ts';
import { invalidValue } from '../field-cause.ts';
import { cloneJson, equalJson, type JsonObject } from '../json.ts';
import { keyOf, type Resource, type StrategyContext } from '../resource.ts';
import { type Core, commit, findStored, type Scope, viewOf, type WriteOptions } from './core.ts';
import { checkNamespaceOpen, contextOf, createDecoded, refuseInvalid } from './create.ts';
import { decodeBody } from './decode-body.ts';
import {
  alignName,
  alignNamespace,
  carryMetadata,
  checkUid,
  checkVersion,
  isWishChanged,
} from './metadata.ts';
import { keepAllButStatus, keepStatus } from './status-part.ts';
import { validateMetadata, validateMetadataUpdate } from './validate-metadata.ts';

export interface Written {
  readonly object: ApiObject;
  readonly isNew: boolean;
}

/** PUT: the body replaces the object. */
export function replaceObject(
  core: Core,
  scope: Scope,
  body: JsonObject,
  options: WriteOptions,
): Written {
  const object = decodeBody(scope.resource, body, options);
  alignNamespace(object, scope);
  alignName(object, scope);
  const stored = findStored(core, scope);
  if (stored === undefined) return createByUpdate(core, scope, object, options);
  const old = viewOf(scope.resource, stored);
  requireVersion(scope.resource, object);
  checkUid(object, old, scope);
  checkVersion(object, old, scope);
  const manager = options.fieldManager;
  trackUpdate(core, scope, { object, old, manager });
  return { object: updateDecoded(core, scope, { object, old }, options), isNew: false };
}

function createByUpdate(
  core: Core,
  scope: Scope,
  object: ApiObject,
  options: WriteOptions,
): Written {
  const { resource, name } = scope;
  if (!resource.allowsCreateOnUpdate || scope.subresource !== '') throw notFound(resource, name);
  if ((object.metadata.resourceVersion ?? '') !== '') throw notFound(resource, name);
  checkNamespaceOpen(core, scope);
  trackUpdate(core, scope, { object, old: undefined, manager: options.fieldManager });
  return { object: createDecoded(core, scope, object, options), isNew: true };
}

function requireVersion(resource: Resource, { metadata }: ApiObject): void {
  if (metadata.resourceVersion === '') delete metadata.resourceVersion;
  if (metadata.resourceVersion !== undefined || resource.allowsBlindUpdate) return;
  const cause = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
  throw invalid({ group: resource.group, kind: resource.plural }, metadata.name ?? '', [cause]);
}

/** From here on an update by PUT, by patch and by apply are the same. `old` is as the caller's version shows it. */
export function updateDecoded(
  core: Core,
  scope: Scope,
  { object, old }: { readonly object: ApiObject; readonly old: ApiObject },
  options: WriteOptions,
): ApiObject {
  const { resource, subresource } = scope;
  const { strategy } = resource;
  const context = contextOf(core, options);
  carryMetadata(object, old);
  object.metadata.resourceVersion = old.metadata.resourceVersion ?? '';
  prepare(resource, subresource, { object, old, context });
  refuseInvalid(resource, object, [
    ...validateMetadata(object, resource),
    ...validateMetadataUpdate(object, old),
    ...(subresource === 'status'
      ? (strategy.validateStatus?.(object, old) ?? [])
      : (strategy.validate?.(object, old, context) ?? [])),
  ]);
  if (subresource === '') options.warnings.push(...(strategy.warn?.(object, old) ?? []));
  const { isDryRun, warnings } = options;
  options.admit?.({ operation: 'UPDATE', scope, object, old, isDryRun }, warnings);
  return store(core, resource, { object, old }, options);
}

interface Draft {
  readonly object: ApiObject;
  readonly old: ApiObject;
  readonly context: StrategyContext;
}

function prepare(resource: Resource, subresource: string, { object, old, context }: Draft): void {
  const { strategy, hasStatus } = resource;
  if (subresource === 'status') {
    keepAllButStatus(object, old);
    strategy.prepareStatus?.(object, old, context);
    return;
  }
  if (subresource === 'finalize') {
    strategy.prepareFinalize?.(object, old, context);
    return;
  }
  if (hasStatus) keepStatus(object, old);
  strategy.prepareUpdate?.(object, old, context);
  bumpGeneration(resource, object, old);
}

function bumpGeneration(resource: Resource, object: ApiObject, old: ApiObject): void {
  if (!resource.hasGeneration || !isWishChanged(object, old, resource.hasStatus)) return;
  object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** Writes only what differs; an object that waited for its last finalizer goes instead. */
function store(
  core: Core,
  resource: Resource,
  { object, old }: { readonly object: ApiObject; readonly old: ApiObject },
  options: WriteOptions,
): ApiObject {
  if (isReleased(resource, object)) return removeReleased(core, resource, object, options);
  if (equalJson(object, old)) return old;
  return commit(core, resource, object, options);
}

/** Deletion was asked for, and nobody holds the object any more. */
export function isReleased({ strategy }: Resource, object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0) return false;
  return deletionGracePeriodSeconds === 0 && (strategy.isHeld?.(object) ?? false) === false;
}

function removeReleased(
  core: Core,
  resource: Resource,
  object: ApiObject,
  { isDryRun }: WriteOptions,
): ApiObject {
  const { namespace = '', name = '' } = object.metadata;
  if (!isDryRun) core.store.remove(resource.collection, keyOf(resource, namespace, name));
  return cloneJson(object);
}
