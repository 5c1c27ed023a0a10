import { isParentTable, type Parent } from './available-ips.ts';
import { type TableName, tableKinds } from './tables.ts';

export type Route =
  | { readonly kind: 'plain'; readonly name: string }
  | { readonly kind: 'list'; readonly table: TableName }
  | { readonly kind: 'object'; readonly table: TableName; readonly id: number }
  | { readonly kind: 'available'; readonly table: Parent['table']; readonly id: number };

/** A text is where the client is sent instead; undefined is a page that does not exist. */
export function findRoute(url: string, method: string, isOld: boolean): Route | string | undefined {
  const [path = ''] = url.split('?');
  if (!path.startsWith('/api/')) return `/login/?next=${path}`;
  if (!path.endsWith('/')) return isOld || method === 'GET' ? `${path}/` : undefined;
  const [app = '', name = '', ...rest] = path.slice('/api/'.length, -1).split('/');
  return name === '' ? findPlain(app, isOld) : findTable(`${app}/${name}`, rest);
}

function findTable(table: string, [id, more, end]: readonly string[]): Route | undefined {
  if (!isTable(table) || end !== undefined) return undefined;
  if (id === undefined) return { kind: 'list', table };
  if (!/^\d+$/.test(id)) return undefined;
  if (more === undefined) return { kind: 'object', table, id: Number(id) };
  if (more !== 'available-ips' || !isParentTable(table)) return undefined;
  return { kind: 'available', table, id: Number(id) };
}

function findPlain(name: string, isOld: boolean): Route | undefined {
  const names = ['', 'status', ...(isOld ? [] : ['authentication-check'])];
  return names.includes(name) ? { kind: 'plain', name } : undefined;
}

function isTable(name: string): name is TableName {
  return Object.hasOwn(tableKinds, name);
}
