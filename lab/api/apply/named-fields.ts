import type { Schema } from '../schema/schema.ts';
import { emptySet, type FieldSet } from './field-set.ts';
import { childSchema, isNamedField } from './structure.ts';

/** Who owns `spec.local.pool` owns `spec.local` and `spec` too, as long as nobody else has a share in them. */
export function withNamedFields(schema: Schema, { members, children }: FieldSet): FieldSet {
  const named = [...children.keys()].filter((element) => isNamedField(schema, element));
  return {
    members: members.union(new Set(named)),
    children: new Map(
      [...children].map(([element, child]) => [
        element,
        withNamedFields(childSchema(schema, element), child ?? emptySet),
      ]),
    ),
  };
}
