/** Notes who changed which fields by an ordinary write. */

import { type ApiObject, timestamp } from '../api-object.ts';
import { apiVersionOf, type Resource } from '../resource.ts';
import type { Core, Scope } from '../rest/core.ts';
import { decodeTyped } from '../types/decode-typed.ts';
import { compareObjects } from './compare.ts';
import { difference, emptySet, type FieldSet, recursiveDifference, union } from './field-set.ts';
import { ignoredFields } from './ignored-fields.ts';
import {
  decodeOwners,
  encodeOwners,
  identityOf,
  type Manager,
  type Owners,
  withOwnership,
} from './managed-fields.ts';

export interface TrackedWrite {
  readonly object: ApiObject;
  readonly old: ApiObject | undefined;
  readonly manager: string;
}

export function trackUpdate(
  core: Core,
  scope: Scope,
  { object, old, manager }: TrackedWrite,
): void {
  const { resource, subresource } = scope;
  const before = old ?? emptyObject(resource);
  const owners = startingOwners(object, old);
  // Who owned nothing from the start is not watched later either.
  if (old !== undefined && owners.size === 0) {
    delete object.metadata.managedFields;
    return;
  }
  const ignored = ignoredFields(resource, subresource);
  const { added, modified, removed } = compareObjects(resource.schema, before, object);
  const changed = recursiveDifference(union(added, modified), ignored);
  const gone = recursiveDifference(removed, ignored);
  const me: Manager = {
    name: manager,
    operation: 'Update',
    apiVersion: apiVersionOf(resource),
    subresource,
  };
  const mine = owners.get(identityOf(me))?.fields ?? emptySet;
  const kept = disown(owners, me, union(changed, gone));
  const fields = union(difference(mine, gone), changed);
  const now = timestamp(core.clock.now());
  writeOwners(object, withOwnership(kept, me, fields, now));
}

export function writeOwners(object: ApiObject, owners: Owners): void {
  const entries = encodeOwners(owners);
  if (entries.length > 0) object.metadata.managedFields = entries;
  else delete object.metadata.managedFields;
}

/** Others lose what was changed or removed under them. */
export function disown(owners: Owners, except: Manager, fields: FieldSet): Owners {
  const identity = identityOf(except);
  return new Map(
    [...owners].map(([key, ownership]) => [
      key,
      key === identity ? ownership : { ...ownership, fields: difference(ownership.fields, fields) },
    ]),
  );
}

/** What the caller sends back wins; one empty entry asks to forget all. */
function startingOwners(object: ApiObject, old: ApiObject | undefined): Owners {
  const sent = object.metadata.managedFields ?? [];
  if (sent.length === 1 && sent[0]?.operation === undefined) return new Map();
  return decodeOwners(sent.length > 0 ? sent : (old?.metadata.managedFields ?? []));
}

/** Built-in kinds print empty structs, so their fields do not count as added by whoever creates. */
export function emptyObject(resource: Resource): ApiObject {
  const fields = resource.isCustom ? {} : decodeTyped(resource.schema, {}).value;
  return { ...fields, apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: {} };
}
