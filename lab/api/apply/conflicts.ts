import { ApiError } from '../api-error.ts';
import { type FieldSet, intersection, isEmptySet, renderPaths } from './field-set.ts';
import { identityOf, type Manager, type Owners } from './managed-fields.ts';

export interface FieldConflict {
  readonly manager: Manager;
  readonly fields: readonly string[];
}

/** Which other managers own some of these fields. */
export function conflictsOf(
  owners: Owners,
  me: Manager,
  changed: FieldSet,
): readonly FieldConflict[] {
  return [...owners.values()].flatMap(({ manager, fields }) => {
    const contested = intersection(fields, changed);
    const isOther = identityOf(manager) !== identityOf(me);
    return isOther && !isEmptySet(contested) ? [{ manager, fields: renderPaths(contested) }] : [];
  });
}

export function refuseConflicts(conflicts: readonly FieldConflict[]): void {
  if (conflicts.length === 0) return;
  const causes = conflicts.flatMap(({ manager, fields }) =>
    fields.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${describe(manager)}`,
      field,
    })),
  );
  const count = `${causes.length} conflict${causes.length === 1 ? '' : 's'}`;
  throw new ApiError({
    code: 409,
    reason: 'Conflict',
    message: `Apply failed with ${count}: ${conflicts.map(render).join('\n')}`,
    details: { causes },
  });
}

function describe({ name, operation, apiVersion, subresource }: Manager): string {
  const part = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return JSON.stringify(name) + part + (operation === 'Update' ? ` using ${apiVersion}` : '');
}

function render({ manager, fields }: FieldConflict): string {
  if (fields.length === 1) return `conflict with ${describe(manager)}: ${fields[0]}`;
  return `conflicts with ${describe(manager)}:\n${fields.map((field) => `- ${field}`).join('\n')}`;
}
