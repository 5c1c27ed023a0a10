import { type FieldCause, invalidValue, notSupported, tooLong, tooMany } from '../field-cause.ts';
import { equalJson, isJsonObject, isRawNumber, type Json } from '../json.ts';
import type { Constraints } from './constraints.ts';
import type { Schema } from './schema.ts';

/** Enumerations, lengths, bounds and patterns of one value. */
export function validateLimits(schema: Schema, value: Json, path: string): readonly FieldCause[] {
  const { constraints } = schema;
  if (constraints === undefined) return [];
  return [
    ...validateEnum(constraints, value, path),
    ...(typeof value === 'string' ? validateText(constraints, value, path) : []),
    ...(typeof value === 'number' ? validateNumber(constraints, value, path) : []),
    ...(isRawNumber(value) ? validateNumber(constraints, Number(value.rawJSON), path) : []),
    ...(Array.isArray(value) ? validateSize(constraints, value.length, path) : []),
    ...(isJsonObject(value) ? validateWidth(constraints, Object.keys(value).length, path) : []),
  ];
}

function validateEnum({ enum: known }: Constraints, value: Json, path: string) {
  if (known === undefined || known.some((other) => equalJson(other, value))) return [];
  return [notSupported(path, value, known.map(String))];
}

function validateText(limits: Constraints, value: string, path: string): readonly FieldCause[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = limits;
  const length = [...value].length;
  const say = (detail: string) => invalidValue(path, value, `${path} in body should ${detail}`);
  return [
    ...(length < minLength ? [say(`be at least ${minLength} chars long`)] : []),
    ...(length > maxLength ? [tooLong(path, maxLength)] : []),
    ...(pattern !== undefined && !new RegExp(pattern, 'u').test(value)
      ? [say(`match '${pattern}'`)]
      : []),
  ];
}

function validateNumber(limits: Constraints, value: number, path: string): readonly FieldCause[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = limits;
  const say = (detail: string) => invalidValue(path, value, `${path} in body should ${detail}`);
  const isUneven = multipleOf !== undefined && !Number.isInteger(value / multipleOf);
  const isBelow = minimum !== undefined && isBeyond(minimum - value, exclusiveMinimum);
  const isAbove = maximum !== undefined && isBeyond(value - maximum, exclusiveMaximum);
  const orEqual = (isExclusive: boolean | undefined) => (isExclusive ? '' : 'or equal to ');
  return [
    ...(isUneven ? [say(`be a multiple of ${multipleOf}`)] : []),
    ...(isBelow ? [say(`be greater than ${orEqual(exclusiveMinimum)}${minimum}`)] : []),
    ...(isAbove ? [say(`be less than ${orEqual(exclusiveMaximum)}${maximum}`)] : []),
  ];
}

function isBeyond(excess: number, isExclusive = false): boolean {
  return isExclusive ? excess >= 0 : excess > 0;
}

function validateSize(limits: Constraints, size: number, path: string): readonly FieldCause[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = limits;
  const detail = `${path} in body should have at least ${minItems} items`;
  return [
    ...(size < minItems ? [invalidValue(path, size, detail)] : []),
    ...(size > maxItems ? [tooMany(path, size, maxItems)] : []),
  ];
}

function validateWidth(limits: Constraints, width: number, path: string): readonly FieldCause[] {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = limits;
  const detail = `${path} in body should have at least ${minProperties} properties`;
  return [
    ...(width < minProperties ? [invalidValue(path, width, detail)] : []),
    ...(width > maxProperties ? [tooMany(path, width, maxProperties)] : []),
  ];
}
