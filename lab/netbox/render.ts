/** Rows → what clients read: choices as objects, references with a little of what they refer to. */

import { readMasked } from './addresses.ts';
import { isFields, type Json } from './netbox-request.ts';
import { type Row, type TableName, type Tables, tableKinds } from './tables.ts';

const host = 'http://netbox.example';

export function urlOf(table: TableName, id: number): string {
  return `${host}/api/${table}/${id}/`;
}

export class Renderer {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  full(table: TableName, row: Row): Json {
    return {
      ...this.#head(table, row),
      ...this.#body(table, row),
      ...(table === 'users/users' ? {} : { created: row.created, last_updated: row.updated }),
    };
  }

  brief(table: TableName, row: Row): Json {
    const head = this.#head(table, row);
    const { name, slug, rd, color, address, description = '' } = row.fields;
    const family = familyOf(row.fields);
    const about = table === 'extras/tags' ? {} : { description };
    return withoutUndefined({ ...head, family, address, name, slug, rd, color, ...about });
  }

  #head(table: TableName, row: Row): Json {
    const display_url = `${host}/${table}/${row.id}/`;
    return { id: row.id, url: urlOf(table, row.id), display_url, display: displayOf(table, row) };
  }

  #body(table: TableName, row: Row): Json {
    const { password: _, ...fields } = row.fields;
    if (table === 'ipam/ip-addresses') return this.#address(fields);
    if (table === 'ipam/prefixes' || table === 'ipam/ip-ranges')
      return this.#network(table, fields);
    if (table === 'tenancy/tenants') return { ...bareTenant, ...fields };
    const choices = choiceFields[table] ?? [];
    return {
      ...fields,
      ...Object.fromEntries(choices.map((name) => [name, choice(fields[name])])),
    };
  }

  #address(fields: Json): Json {
    return {
      family: familyOf(fields),
      assigned_object_type: null,
      assigned_object_id: null,
      assigned_object: null,
      nat_inside: null,
      nat_outside: [],
      dns_name: '',
      description: '',
      comments: '',
      owner: null,
      ...fields,
      vrf: this.#reference('ipam/vrfs', fields['vrf']),
      tenant: this.#reference('tenancy/tenants', fields['tenant']),
      status: choice(fields['status'] ?? 'active'),
      role: fields['role'] ? choice(fields['role']) : null,
      tags: listOf(fields['tags']).map((id) => this.#reference('extras/tags', id)),
      custom_fields: { ...this.#emptyFields(), ...(fields['custom_fields'] as Json | undefined) },
    };
  }

  #network(table: 'ipam/prefixes' | 'ipam/ip-ranges', fields: Json): Json {
    const own =
      table === 'ipam/prefixes'
        ? { scope_type: null, scope_id: null, is_pool: false, children: 0, _depth: 0 }
        : { role: null, mark_populated: false };
    return {
      family: familyOf(fields),
      mark_utilized: false,
      ...own,
      ...fields,
      vrf: this.#reference('ipam/vrfs', fields['vrf']),
      tenant: this.#reference('tenancy/tenants', fields['tenant']),
      status: choice(fields['status'] ?? 'active'),
    };
  }

  #reference(table: TableName, id: unknown): Json | null {
    const row = typeof id === 'number' ? this.#tables.get(table, id) : undefined;
    if (row === undefined) return null;
    const { display_url: _, ...brief } = this.brief(table, row);
    return table === 'extras/tags' ? this.brief(table, row) : brief;
  }

  /** Every custom field is on every object. */
  #emptyFields(): Json {
    const rows = this.#tables.all('extras/custom-fields');
    return Object.fromEntries(rows.map(({ fields }) => [String(fields['name']), null]));
  }
}

const bareTenant = { group: null, description: '', tags: [], custom_fields: {} };
const choiceFields: Partial<Record<TableName, readonly string[]>> = {
  'extras/custom-fields': ['type', 'filter_logic'],
  'extras/event-rules': ['action_type'],
};

const labels: Readonly<Record<string, string>> = { vip: 'VIP', dhcp: 'DHCP', slaac: 'SLAAC' };

function choice(value: unknown): Json {
  const text = String(value);
  const label = labels[text] ?? `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return { value: text, label };
}

function familyOf(fields: Json): Json | undefined {
  const text = fields['address'] ?? fields['prefix'] ?? fields['start_address'];
  const masked = typeof text === 'string' ? readMasked(text) : undefined;
  return masked && { value: masked.version, label: `IPv${masked.version}` };
}

export function displayOf(table: TableName, { fields, id }: Row): string {
  const { name, rd, address, prefix, start_address: start, label, username } = fields;
  if (table === 'ipam/vrfs') return rd ? `${String(name)} (${String(rd)})` : String(name);
  if (table === 'ipam/ip-ranges') return displayRange(String(start), String(fields['end_address']));
  if (table === 'extras/custom-fields') return String(label || titleOf(String(name)));
  return String(address ?? prefix ?? name ?? username ?? `${tableKinds[table].model} ${id}`);
}

/** `198.51.100.100-109/24`: of the last only what differs. */
export function displayRange(start: string, end: string): string {
  const [first = '', mask = ''] = start.split('/');
  const [last = ''] = end.split('/');
  const separator = first.includes(':') ? ':' : '.';
  return `${first}-${last.slice(last.lastIndexOf(separator) + 1)}/${mask}`;
}

function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function withoutUndefined(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** What of an object a client asked for: `fields=`, `omit=`. */
export function pickFields(object: Json, query: URLSearchParams): Json {
  const only = query.get('fields')?.split(',');
  const without = query.get('omit')?.split(',') ?? [];
  const entries = Object.entries(object).filter(
    ([name]) => (only?.includes(name) ?? true) && !without.includes(name),
  );
  return isFields(object) ? Object.fromEntries(entries) : object;
}
