/** The columns of a table, and the cells that an object has in them. */

import type { ApiObject } from '../api-object.ts';
import type { Json, JsonObject } from '../json.ts';
import { since } from './human-duration.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, more only with `-o wide`. */
  readonly priority: number;
}

export interface Layout {
  readonly columns: readonly Column[];
  readonly cells: (object: ApiObject, now: number) => Json[];
}

export function column(name: string, type = 'string', priority = 0): Column {
  return { name, type, format: '', description: '', priority };
}

export const wide = (name: string): Column => column(name, 'string', 1);
export const integer = (name: string): Column => column(name, 'integer');
export const nameColumn: Column = { ...column('Name'), format: 'name' };
export const ageColumn = column('Age');

export function nameOf({ metadata }: ApiObject): string {
  return metadata.name ?? '';
}

export function ageOf({ metadata }: ApiObject, now: number): string {
  return since(metadata.creationTimestamp ?? '', now);
}

export const orNone = (text: string): string => (text === '' ? '<none>' : text);

/** `a=b,c=d` in the order of the keys. */
export function formatLabels(labels: JsonObject): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`);
  return orNone(pairs.join(','));
}

/** At most three, then how many more there are. */
export function firstThree(texts: readonly string[]): string {
  const more = texts.length - 3;
  const shown = texts.slice(0, 3).join(',');
  return more > 0 ? `${shown} + ${more} more...` : shown;
}
