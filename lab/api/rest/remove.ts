import type { Admit } from '../admission/admission.ts';
import { conflict, forbidden, invalid, notFound } from '../api-error.ts';
import { type ApiObject, timestamp } from '../api-object.ts';
import { notSupported } from '../field-cause.ts';
import { cloneJson, type Json, type JsonObject, textAt } from '../json.ts';
import { keyOf } from '../resource.ts';
import { type Core, commit, findStored, type Scope, viewOf } from './core.ts';
import { type ObjectFilter, readFilter } from './object-filter.ts';
import { isReleased } from './update.ts';

export interface DeleteOptions {
  /** What policies say about it; absent where the server itself deletes. */
  readonly admit?: Admit;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: string;
  readonly isDryRun: boolean;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** The body may say the same as the query, and more. */
export function readDeleteOptions(query: URLSearchParams, body: JsonObject): DeleteOptions {
  const grace = query.get('gracePeriodSeconds') ?? body['gracePeriodSeconds'];
  const orphans = query.get('orphanDependents') ?? body['orphanDependents'];
  const propagation = query.get('propagationPolicy') ?? textAt(body, 'propagationPolicy');
  checkPropagation(propagation);
  const dryRun = query.get('dryRun') ?? (body['dryRun'] as Json[] | undefined)?.[0];
  return {
    gracePeriodSeconds: grace === undefined || grace === null ? undefined : Number(grace),
    propagation: propagation === '' && String(orphans) === 'true' ? 'Orphan' : propagation,
    isDryRun: dryRun === 'All',
    uid: textAt(body, 'preconditions', 'uid'),
    resourceVersion: textAt(body, 'preconditions', 'resourceVersion'),
  };
}

function checkPropagation(propagation: string): void {
  if (['', 'Foreground', 'Background', 'Orphan'].includes(propagation)) return;
  throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [
    notSupported('propagationPolicy', propagation, ['Foreground', 'Background', 'Orphan', 'nil']),
  ]);
}

export interface Removed {
  /** As it last was, or as it now waits for its finalizers. */
  readonly object: ApiObject;
  readonly isGone: boolean;
}

export function removeObject(core: Core, scope: Scope, options: DeleteOptions): Removed {
  const stored = findStored(core, scope);
  if (stored === undefined) throw notFound(scope.resource, scope.name);
  const old = viewOf(scope.resource, stored);
  const refusal = scope.resource.strategy.refuseDelete?.(old);
  if (refusal !== undefined) throw forbidden(scope.resource, scope.name, refusal);
  checkPreconditions(old, scope, options);
  options.admit?.({ operation: 'DELETE', scope, old, isDryRun: options.isDryRun }, []);
  const object = markDeleted(core, scope, old, options);
  if (!isReleased(scope.resource, object)) {
    const isUnchanged = object === old;
    return {
      object: isUnchanged ? old : commit(core, scope.resource, object, options),
      isGone: false,
    };
  }
  const hasGrace = scope.resource.strategy.gracePeriodSeconds !== undefined;
  const last = hasGrace ? object : old;
  return { object: eraseObject(core, scope, last, options.isDryRun), isGone: true };
}

function eraseObject(core: Core, scope: Scope, old: ApiObject, isDryRun: boolean): ApiObject {
  const { resource, namespace, name } = scope;
  if (isDryRun) return old;
  core.store.remove(resource.collection, keyOf(resource, namespace, name));
  const resourceVersion = String(core.store.revision);
  return { ...old, metadata: { ...old.metadata, resourceVersion } };
}

function checkPreconditions(
  { metadata }: ApiObject,
  { resource, name }: Scope,
  { uid, resourceVersion }: DeleteOptions,
): void {
  const failed = (what: string, wanted: string, found = '', how = '') =>
    conflict(
      { group: resource.group, plural: resource.kind },
      name,
      `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${how}`,
    );
  if (uid !== '' && uid !== metadata.uid) {
    throw failed('UID', uid, metadata.uid, 'deleted and then recreated');
  }
  if (resourceVersion !== '' && resourceVersion !== metadata.resourceVersion) {
    throw failed('ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified');
  }
}

/** The same object when it waits for deletion already. */
function markDeleted(
  core: Core,
  { resource }: Scope,
  old: ApiObject,
  { gracePeriodSeconds, propagation }: DeleteOptions,
): ApiObject {
  const grace = resource.strategy.gracePeriodSeconds?.(old, gracePeriodSeconds) ?? 0;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = old.metadata;
  const finalizers = finalizersFor(propagation, old.metadata.finalizers ?? []);
  if (deletionTimestamp !== undefined && grace >= deletionGracePeriodSeconds) return old;
  const object = cloneJson(old);
  const { metadata } = object;
  metadata.deletionTimestamp = timestamp(core.clock.now() + grace * 1000);
  metadata.deletionGracePeriodSeconds = grace;
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  const { markDeleted } = resource.strategy;
  if (markDeleted !== undefined) markDeleted(object);
  else if (resource.hasGeneration) metadata.generation = (metadata.generation ?? 0) + 1;
  return object;
}

const propagations: Readonly<Record<string, string>> = {
  Foreground: 'foregroundDeletion',
  Orphan: 'orphan',
};

function finalizersFor(propagation: string, finalizers: readonly string[]): string[] {
  if (propagation === '') return [...finalizers];
  const kept = finalizers.filter((name) => !Object.values(propagations).includes(name));
  const added = propagations[propagation];
  return added === undefined ? kept : [...kept, added];
}

/** Deletes what the selectors match, and returns it as it was. */
export function removeCollection(
  core: Core,
  scope: Scope,
  query: URLSearchParams,
  options: DeleteOptions,
): readonly ApiObject[] {
  const filter: ObjectFilter = readFilter(scope, query);
  const collection = core.store.collection(scope.resource.collection);
  const found = [...collection.entries({ prefix: filter.prefix })]
    .map(([, stored]) => viewOf(scope.resource, stored))
    .filter(filter.matches);
  return found.map((object) => {
    const { namespace = '', name = '' } = object.metadata;
    return removeObject(core, { ...scope, namespace, name }, options).object;
  });
}
