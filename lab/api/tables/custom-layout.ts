/** Columns that a custom resource definition asks for. */

import { type Json, type JsonObject, textAt } from '../json.ts';
import { type Column, column, type Layout, nameColumn, nameOf } from './column.ts';
import { since } from './human-duration.ts';
import { parseJsonPath } from './json-path.ts';

const age: JsonObject = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

export function customLayout(definitions: readonly JsonObject[]): Layout {
  const columns = (definitions.length === 0 ? [age] : definitions).map((definition) => ({
    ...readColumn(definition),
    find: parseJsonPath(textAt(definition, 'jsonPath')) ?? (() => []),
  }));
  return {
    columns: [nameColumn, ...columns.map(({ find: _find, ...shown }) => shown)],
    cells: (object, now) => [
      nameOf(object),
      ...columns.map(({ type, find }) => cellOf(type, find(object)[0], now)),
    ],
  };
}

function readColumn(definition: JsonObject): Column {
  const path = textAt(definition, 'jsonPath');
  return {
    ...column(textAt(definition, 'name'), textAt(definition, 'type')),
    format: textAt(definition, 'format'),
    description:
      textAt(definition, 'description') ||
      `Custom resource definition column (in JSONPath format): ${path}`,
    priority: Number(definition['priority'] ?? 0),
  };
}

const readers: Readonly<Record<string, (value: Json, now: number) => Json>> = {
  string: (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)),
  integer: (value) => (typeof value === 'number' ? Math.trunc(value) : null),
  number: (value) => (typeof value === 'number' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, now) => (typeof value === 'string' ? dateCell(value, now) : null),
};

/** What is not of the column's type is not shown. */
function cellOf(type: string, value: Json | undefined, now: number): Json {
  if (value === undefined || value === null) return null;
  return readers[type]?.(value, now) ?? null;
}

function dateCell(value: string, now: number): string {
  return Number.isNaN(Date.parse(value)) ? '<invalid>' : since(value, now);
}

const layouts = new WeakMap<readonly JsonObject[], Layout>();

/** Paths are read once per definition. */
export function layoutOfColumns(definitions: readonly JsonObject[]): Layout {
  const known = layouts.get(definitions);
  if (known !== undefined) return known;
  const layout = customLayout(definitions);
  layouts.set(definitions, layout);
  return layout;
}
