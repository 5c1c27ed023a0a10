/** What a client writes → fields of a row, or why not, in Netbox's words. */

import { formatMasked, readMasked } from './addresses.ts';
import type { Caller } from './auth.ts';
import { invalid, isFields, type Json, Refusal } from './netbox-request.ts';
import type { Row, TableName, Tables } from './tables.ts';

export interface CheckContext {
  readonly tables: Tables;
  readonly caller: Caller;
  /** The older release: other texts, and a fault where the newer has an answer. */
  readonly isOld: boolean;
}

const statuses = ['active', 'reserved', 'deprecated', 'dhcp', 'slaac', 'container'];
const references = { tenant: 'tenancy/tenants', vrf: 'ipam/vrfs' } as const;

/** Only what is known of an address; everything else in a body is ignored without a word. */
const known = [
  'address',
  'status',
  'role',
  'dns_name',
  'description',
  'comments',
  'tenant',
  'vrf',
  'tags',
  'custom_fields',
] as const;

export function checkAddressFields(body: Json, context: CheckContext): Json {
  const fields: Record<string, unknown> = {};
  for (const name of known) if (body[name] !== undefined) fields[name] = body[name];
  checkStatus(fields);
  checkTexts(fields);
  resolveReferences(fields, context);
  if (fields['custom_fields'] !== undefined) checkCustomFields(fields['custom_fields'], context);
  if (fields['address'] !== undefined) fields['address'] = checkAddress(fields['address'], context);
  return fields;
}

export function checkStatus({ status }: Json): void {
  if (status === undefined || statuses.includes(String(status))) return;
  invalid('status', `${String(status)} is not a valid choice.`);
}

function checkTexts(fields: Record<string, unknown>): void {
  const { dns_name: name, description } = fields;
  if (typeof name === 'string' && !/^[A-Za-z0-9*._-]*$/.test(name)) {
    const allowed = 'alphanumeric characters, asterisks, hyphens, periods, and underscores';
    invalid('dns_name', `Only ${allowed} are allowed in DNS names`);
  }
  if (typeof name === 'string') fields['dns_name'] = name.toLowerCase();
  if (typeof description === 'string' && description.length > 200) {
    invalid('description', 'Ensure this field has no more than 200 characters.');
  }
}

export function resolveReferences(fields: Record<string, unknown>, context: CheckContext): void {
  for (const [name, table] of Object.entries(references)) {
    if (fields[name] !== undefined) fields[name] = resolve(name, table, fields[name], context);
  }
  const { tags } = fields;
  if (!Array.isArray(tags)) return;
  fields['tags'] = tags.map((tag: unknown) => resolve('tags', 'extras/tags', tag, context));
}

/** By id, or by what the object has. */
function resolve(
  field: string,
  table: TableName,
  value: unknown,
  { tables, caller }: CheckContext,
): number | null {
  if (value === null) return null;
  const wanted: Json = isFields(value) ? value : { id: value };
  const found = tables
    .all(table)
    .filter((row) => caller.mayTouch('view', table, row))
    .find((row) =>
      Object.entries(wanted).every(([name, own]) =>
        name === 'id' ? row.id === own : row.fields[name] === own,
      ),
    );
  if (found !== undefined) return found.id;
  const text = Object.entries(wanted).map(([name, own]) => `'${name}': '${String(own)}'`);
  return invalid(
    field,
    `Related object not found using the provided attributes: {${text.join(', ')}}`,
  );
}

function checkCustomFields(value: unknown, { tables, isOld }: CheckContext): void {
  const defined = tables.all('extras/custom-fields').map(({ fields }) => fields['name']);
  for (const name of Object.keys(isFields(value) ? value : {})) {
    if (defined.includes(name)) continue;
    if (isOld) invalid('__all__', `Unknown field name '${name}' in custom field data.`);
    const message = `Custom field '${name}' does not exist for this object type.`;
    throw new Refusal(400, { custom_fields: { [name]: message } });
  }
}

function checkAddress(value: unknown, { isOld }: CheckContext): string {
  const masked = readMasked(String(value));
  if (masked !== undefined) return formatMasked(masked);
  if (!isOld) return invalid('address', `Invalid IP address format: ${String(value)}`);
  throw new Refusal(500, { error: "'data'", exception: 'KeyError' });
}

/** Roles of which an address may have several. */
const sharedRoles = ['anycast', 'vip', 'vrrp', 'hsrp', 'glbp', 'carp'];

/** `own`: the row that is changed. The whole table counts, not only what the caller sees. */
export function checkUnique(
  fields: Json,
  own: Row | undefined,
  tables: Tables,
  enforcesGlobally: boolean,
): void {
  const others = tables.all('ipam/ip-addresses').filter((row) => row !== own);
  const address = readMasked(String(fields['address']));
  const vrf = tables.get('ipam/vrfs', Number(fields['vrf'] ?? 0));
  const isEnforced = vrf === undefined ? enforcesGlobally : vrf.fields['enforce_unique'] !== false;
  const isShared = ({ role }: Json) => sharedRoles.includes(String(role));
  const double = others.find(
    (row) =>
      (row.fields['vrf'] ?? null) === (fields['vrf'] ?? null) &&
      readMasked(String(row.fields['address']))?.ip === address?.ip &&
      !(isShared(fields) && isShared(row.fields)),
  );
  if (double !== undefined && isEnforced) {
    const where = vrf
      ? `VRF ${String(vrf.fields['name'])} (${String(vrf.fields['rd'])})`
      : 'global table';
    invalid(
      'address',
      `Duplicate IP address found in ${where}: ${String(double.fields['address'])}`,
    );
  }
  checkUniqueFields(fields, others, tables);
}

function checkUniqueFields(fields: Json, others: readonly Row[], tables: Tables): void {
  const unique = tables.all('extras/custom-fields').filter((row) => row.fields['unique'] === true);
  for (const { fields: field } of unique) {
    const name = String(field['name']);
    const ownOf = (each: Json) => (each['custom_fields'] as Json | undefined)?.[name] ?? null;
    const value = ownOf(fields);
    if (value === null || !others.some((row) => ownOf(row.fields) === value)) continue;
    invalid('__all__', `Custom field '${name}' must have a unique value.`);
  }
}
