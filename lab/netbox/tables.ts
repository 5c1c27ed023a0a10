/** The objects of a Netbox: rows by table, with the references and times that all of them have. */

import type { Json } from './netbox-request.ts';

export interface Row {
  readonly id: number;
  fields: Json;
  readonly created: string;
  updated: string;
}

export interface TableKind {
  /** As permissions name it. */
  readonly type: string;
  /** As messages name it. */
  readonly model: string;
  /** Columns of which no two rows have the same value, as the database has it. */
  readonly unique: readonly string[];
  readonly hasEtag: boolean;
}

const kind = (type: string, model: string, unique: readonly string[] = []): TableKind => ({
  type,
  model,
  unique,
  hasEtag: !type.startsWith('users.') || type === 'users.token',
});

export const tableKinds = {
  'tenancy/tenants': kind('tenancy.tenant', 'Tenant', ['name', 'slug']),
  'ipam/vrfs': kind('ipam.vrf', 'VRF'),
  'ipam/prefixes': kind('ipam.prefix', 'Prefix'),
  'ipam/ip-ranges': kind('ipam.iprange', 'IPRange'),
  'ipam/ip-addresses': kind('ipam.ipaddress', 'IPAddress'),
  'extras/tags': kind('extras.tag', 'Tag', ['name', 'slug']),
  'extras/custom-fields': kind('extras.customfield', 'CustomField', ['name']),
  'extras/webhooks': kind('extras.webhook', 'Webhook'),
  'extras/event-rules': kind('extras.eventrule', 'EventRule'),
  'users/users': kind('users.user', 'User'),
  'users/tokens': kind('users.token', 'Token'),
  'users/permissions': kind('users.objectpermission', 'ObjectPermission'),
  'core/object-changes': kind('core.objectchange', 'ObjectChange'),
} as const satisfies Record<string, TableKind>;
export type TableName = keyof typeof tableKinds;

export class Tables {
  readonly #rows = new Map<TableName, Map<number, Row>>();
  readonly #lastIds = new Map<TableName, number>();
  readonly #now: () => number;
  #ticks = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  all(table: TableName): readonly Row[] {
    return [...(this.#rows.get(table)?.values() ?? [])];
  }

  get(table: TableName, id: number): Row | undefined {
    return this.#rows.get(table)?.get(id);
  }

  insert(table: TableName, fields: Json): Row {
    const id = (this.#lastIds.get(table) ?? 0) + 1;
    this.#lastIds.set(table, id);
    const row = { id, fields, created: this.#time(), updated: this.#time() };
    const rows = this.#rows.get(table) ?? new Map<number, Row>();
    this.#rows.set(table, rows.set(id, row));
    return row;
  }

  /** Every write is news, even one that changes nothing. */
  update(row: Row, fields: Json): void {
    row.fields = { ...row.fields, ...fields };
    row.updated = this.#time();
  }

  delete(table: TableName, id: number): void {
    this.#rows.get(table)?.delete(id);
  }

  /** As if so many had been there before: identifiers are never used again. */
  skipTo(table: TableName, id: number): void {
    this.#lastIds.set(table, id - 1);
  }

  /** With microseconds, and never the same twice. */
  #time(): string {
    this.#ticks = (this.#ticks + 1) % 1000;
    const text = new Date(this.#now()).toISOString();
    return text.replace('Z', `${String(this.#ticks).padStart(3, '0')}Z`);
  }
}

export function etagOf({ updated }: Row): string {
  return `W/"${updated.replace('Z', '+00:00')}"`;
}
