/** What is wrong with one field of an object, in the words of the real API server. */

import { isRawNumber, type Json } from './json.ts';

export interface FieldCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

export function required(field: string, detail: string): FieldCause {
  return {
    reason: 'FieldValueRequired',
    field,
    message: `Required value${detail === '' ? '' : `: ${detail}`}`,
  };
}

export function invalidValue(field: string, value: Json | undefined, detail: string): FieldCause {
  return {
    reason: 'FieldValueInvalid',
    field,
    message: `Invalid value: ${render(value)}${detail === '' ? '' : `: ${detail}`}`,
  };
}

export function duplicate(field: string, value: Json | undefined): FieldCause {
  return {
    reason: 'FieldValueDuplicate',
    field,
    message: `Duplicate value: ${render(value)}`,
  };
}

export function forbiddenField(field: string, detail: string): FieldCause {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` };
}

export function notSupported(
  field: string,
  value: Json | undefined,
  supported: readonly string[],
): FieldCause {
  const known = supported.map((word) => JSON.stringify(word)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${render(value)}: supported values: ${known}`,
  };
}

export function typeInvalid(field: string, value: Json | undefined, detail: string): FieldCause {
  return {
    reason: 'FieldValueTypeInvalid',
    field,
    message: `Invalid value: ${render(value)}: ${detail}`,
  };
}

export function tooLong(field: string, most: number): FieldCause {
  return {
    reason: 'FieldValueTooLong',
    field,
    message: `Too long: may not be more than ${most} bytes`,
  };
}

export function tooMany(field: string, actual: number, most: number): FieldCause {
  return {
    reason: 'FieldValueTooMany',
    field,
    message: `Too many: ${actual}: must have at most ${most} items`,
  };
}

/** `: one`, or `: [one, two]`; nothing when there are none. */
export function renderCauses(causes: readonly FieldCause[]): string {
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  if (texts.length === 0) return '';
  return texts.length === 1 ? `: ${texts[0]}` : `: [${texts.join(', ')}]`;
}

function render(value: Json | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (isRawNumber(value)) return value.rawJSON;
  return JSON.stringify(value);
}
