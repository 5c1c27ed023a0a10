/** Looking at tables as kubectl gets them. */

import assert from 'node:assert/strict';
import { type Json, type JsonObject, listAt, textAt } from '../json.ts';
import type { World } from './contract-world.ts';

const isAge = (cell: Json | undefined) => typeof cell === 'string' && /^\d+[smhd]/.test(cell);

/** The header and the rows as text, with ages as `AGE`. */
export function textOf(table: Json): readonly string[] {
  const columns = listAt(table, 'columnDefinitions') as JsonObject[];
  const header = columns.map(({ name, type, priority }) => `${name}:${type}:${priority}`);
  const rows = listAt(table, 'rows').map((row) =>
    listAt(row, 'cells').map((cell) => (isAge(cell) ? 'AGE' : String(cell))),
  );
  return [header, ...rows].map((line) => line.join(' | '));
}

export interface Written {
  readonly path: string;
  readonly body: JsonObject;
  readonly status?: JsonObject;
}

/** A status is written on its own, as its controller would. */
export async function write(world: World, { path, body, status }: Written): Promise<void> {
  const created = await world.admin.post(path, body);
  assert.equal(created.status, 201, JSON.stringify(created.body));
  if (status === undefined) return;
  const name = textAt(created.body, 'metadata', 'name');
  const answer = await world.admin.patch(`${path}/${name}/status`, { status });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}
