/** A short word for a template: the same for the same content, whatever the order of its fields. */

import { createHash } from 'node:crypto';
import { isJsonObject, type Json } from '../json.ts';

const letters = 'bcdfghjklmnpqrstvwxz2456789';

export function templateHash(template: Json): string {
  const digest = createHash('sha256').update(canonical(template)).digest();
  return [...digest.subarray(0, 10)].map((byte) => letters[byte % letters.length]).join('');
}

function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? '';
  const fields = Object.keys(value).sort();
  return `{${fields.map((field) => `${field}:${canonical(value[field])}`).join()}}`;
}
