/** Server-side apply: the caller says what it wants of an object, and owns exactly that. */

import { ApiError, badRequest, invalid, notFound } from '../api-error.ts';
import { type ApiObject, timestamp } from '../api-object.ts';
import { required } from '../field-cause.ts';
import { cloneJson, equalJson, type JsonObject, textAt } from '../json.ts';
import { apiVersionOf } from '../resource.ts';
import { type Core, findStored, type Scope, viewOf, type WriteOptions } from '../rest/core.ts';
import { checkNamespaceOpen, createDecoded } from '../rest/create.ts';
import { decodeObject, expectObject, readYaml } from '../rest/decode-body.ts';
import { alignName, alignNamespace, checkVersion } from '../rest/metadata.ts';
import { updateDecoded, type Written } from '../rest/update.ts';
import { compareObjects } from './compare.ts';
import { conflictsOf, refuseConflicts } from './conflicts.ts';
import { difference, emptySet, type FieldSet, recursiveDifference, union } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { ignoredFields } from './ignored-fields.ts';
import { lastAppliedFields } from './last-applied.ts';
import {
  decodeOwners,
  identityOf,
  type Manager,
  type Owners,
  withFields,
} from './managed-fields.ts';
import { mergeApplied } from './merge-applied.ts';
import { withNamedFields } from './named-fields.ts';
import { removeItems } from './remove-items.ts';
import { disown, emptyObject, writeOwners } from './track-update.ts';
import { findTypeProblem } from './type-problem.ts';

export function applyObject(
  core: Core,
  scope: Scope,
  text: string,
  options: WriteOptions,
): Written {
  const { resource } = scope;
  if (options.fieldManager === '') {
    const cause = required('fieldManager', 'is required for apply patch');
    throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [cause]);
  }
  const config = readConfig(scope, text);
  const stored = findStored(core, scope);
  if (stored === undefined && scope.subresource !== '') throw notFound(resource, scope.name);
  const live = stored === undefined ? emptyObject(resource) : viewOf(resource, stored);
  const object = mergeConfig(core, scope, { live, config }, options);
  alignNamespace(object, scope);
  alignName(object, scope);
  if (stored === undefined) {
    checkNamespaceOpen(core, scope);
    return { object: createDecoded(core, scope, object, options), isNew: true };
  }
  checkVersion(object, live, scope);
  return { object: updateDecoded(core, scope, { object, old: live }, options), isNew: false };
}

function readConfig({ resource, name }: Scope, text: string): JsonObject {
  const config = expectObject(readYaml(text));
  const { group, version, kind } = resource;
  if (textAt(config, 'kind') !== kind || textAt(config, 'apiVersion') !== apiVersionOf(resource)) {
    const given = textAt(config, 'apiVersion').includes('/')
      ? textAt(config, 'apiVersion')
      : `/${textAt(config, 'apiVersion')}`;
    throw badRequest(`invalid object type: ${given}, Kind=${textAt(config, 'kind')}`);
  }
  const metadata = config['metadata'] as JsonObject | undefined;
  if (metadata?.['managedFields'] !== undefined) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const problem = findTypeProblem(resource.schema, config, '');
  if (problem !== undefined) {
    const place = `${textAt(metadata, 'namespace')}/${textAt(metadata, 'name') || name}`;
    const message = `failed to create typed patch object (${place}; ${group}/${version}, Kind=${kind}): ${problem}`;
    throw new ApiError({ code: 500, message });
  }
  return config;
}

function mergeConfig(
  core: Core,
  scope: Scope,
  { live, config }: { readonly live: ApiObject; readonly config: JsonObject },
  options: WriteOptions,
): ApiObject {
  const { resource, subresource } = scope;
  const { schema } = resource;
  const ignored = ignoredFields(resource, subresource);
  const me: Manager = {
    name: options.fieldManager,
    operation: 'Apply',
    apiVersion: apiVersionOf(resource),
    subresource,
  };
  const now = timestamp(core.clock.now());
  const known = decodeOwners(live.metadata.managedFields ?? []);
  const before = known.size > 0 ? known : firstOwners(live, scope, now);
  const wishes = recursiveDifference(fieldSetOf(schema, config), ignored);
  const last = before.get(identityOf(me));
  const owned = withFields(before, me, wishes, last?.time ?? '');
  const merged = mergeApplied(schema, cloneJson(live), config) as JsonObject;
  const gone = noLongerWanted(schema, last?.fields ?? emptySet, owned);
  const wanted = removeItems(schema, merged, gone);
  // Who only confirms what is there leaves no time behind.
  const owners = equalJson(wanted, live) ? owned : withFields(before, me, wishes, now);
  const { added, modified, removed } = compareObjects(schema, live, wanted);
  const changed = recursiveDifference(union(added, modified), ignored);
  if (!options.isForced)
    refuseConflicts(conflictsOf(owners, me, contested(schema, { me, live, changed })));
  const object = decodeObject(resource, wanted, { ...options, keepsNulls: true });
  writeOwners(object, disown(owners, me, union(changed, removed)));
  return object;
}

/** kubectl may take over from its own older way to apply. */
function contested(
  schema: Parameters<typeof fieldSetOf>[0],
  {
    me,
    live,
    changed,
  }: { readonly me: Manager; readonly live: ApiObject; readonly changed: FieldSet },
): FieldSet {
  return me.name === 'kubectl' ? difference(changed, lastAppliedFields(schema, live)) : changed;
}

/** Fields that are there when nobody has owned any yet belong to whoever came before. */
function firstOwners(live: ApiObject, { resource, subresource }: Scope, now: string): Owners {
  const manager: Manager = {
    name: 'before-first-apply',
    operation: 'Update',
    apiVersion: apiVersionOf(resource),
    subresource: '',
  };
  const isNew = live.metadata.uid === undefined;
  const fields = recursiveDifference(
    fieldSetOf(resource.schema, live),
    ignoredFields(resource, subresource),
  );
  return isNew ? new Map() : withFields(new Map(), manager, fields, now);
}

/** What the manager applied last time and nobody asks for now. */
function noLongerWanted(
  schema: Parameters<typeof fieldSetOf>[0],
  last: FieldSet,
  owners: Owners,
): FieldSet {
  const owned = [...owners.values()].reduce(
    (sum, { fields }) => union(sum, withNamedFields(schema, fields)),
    emptySet,
  );
  return difference(withNamedFields(schema, last), owned);
}
