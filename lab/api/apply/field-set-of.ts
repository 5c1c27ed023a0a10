import { isJsonObject, type Json } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { isNamedField, type Part, partsOf } from './structure.ts';

/** The places that an applied configuration speaks of. */
export function fieldSetOf(schema: Schema, value: Json): FieldSet {
  const builder = new FieldSetBuilder();
  collect(schema, value, builder);
  return builder.build();
}

function collect(schema: Schema, value: Json, builder: FieldSetBuilder): void {
  for (const part of partsOf(schema, value) ?? []) {
    const parts = partsOf(part.schema, part.value);
    if (parts === undefined || isMember(schema, part)) builder.insert([part.element]);
    if (parts !== undefined && parts.length > 0) {
      collect(part.schema, part.value, builder.child(part.element));
    }
  }
}

/** A struct's field with parts is not itself spoken of; items, keys of maps and empty values are. */
function isMember(schema: Schema, { element, value }: Part): boolean {
  if (!isNamedField(schema, element)) return true;
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}
