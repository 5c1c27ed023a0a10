/** `metadata.managedFields`: who owns which fields, one entry for each manager, way of writing, version and subresource. */

import type { ManagedFieldsEntry } from '../api-object.ts';
import {
  decodeFieldSet,
  encodeFieldSet,
  equalSets,
  type FieldSet,
  isEmptySet,
} from './field-set.ts';

export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface Ownership {
  readonly manager: Manager;
  readonly time: string;
  readonly fields: FieldSet;
}

/** Ownership by identity of the manager. */
export type Owners = ReadonlyMap<string, Ownership>;

/** Who applies is the same in every version; who updates is not. */
export function identityOf({ name, operation, apiVersion, subresource }: Manager): string {
  const version = operation === 'Apply' ? '' : apiVersion;
  return [operation, name, version, subresource].join('\n');
}

export function decodeOwners(entries: readonly ManagedFieldsEntry[]): Owners {
  return new Map(
    entries.map((entry) => {
      const manager: Manager = {
        name: entry.manager ?? '',
        operation: entry.operation,
        apiVersion: entry.apiVersion ?? '',
        subresource: entry.subresource ?? '',
      };
      const fields = decodeFieldSet(entry.fieldsV1 ?? {});
      return [identityOf(manager), { manager, time: entry.time ?? '', fields }];
    }),
  );
}

/** Appliers first, then by age, then by name. */
export function encodeOwners(owners: Owners): ManagedFieldsEntry[] {
  return [...owners.values()]
    .filter(({ fields }) => !isEmptySet(fields))
    .sort((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1))
    .map(({ manager, time, fields }) => ({
      manager: manager.name,
      operation: manager.operation,
      apiVersion: manager.apiVersion,
      ...(time === '' ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: encodeFieldSet(fields),
      ...(manager.subresource === '' ? {} : { subresource: manager.subresource }),
    }));
}

function sortKey({ manager, time }: Ownership): string {
  return [manager.operation, time, manager.name, manager.apiVersion, manager.subresource].join(
    '\n',
  );
}

export function withFields(
  owners: Owners,
  manager: Manager,
  fields: FieldSet,
  time: string,
): Owners {
  return new Map([...owners, [identityOf(manager), { manager, time, fields }]]);
}

/** By an ordinary write a manager's time moves only when its fields do. */
export function withOwnership(
  owners: Owners,
  manager: Manager,
  fields: FieldSet,
  now: string,
): Owners {
  const identity = identityOf(manager);
  const known = owners.get(identity);
  const time = known !== undefined && equalSets(known.fields, fields) ? known.time : now;
  return withFields(owners, manager, fields, time);
}
