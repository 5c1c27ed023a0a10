/** Everything that is not an IP address: made by administrators, and looked at by clients. */

import { formatMasked, readMasked } from './addresses.ts';
import { type CheckContext, checkStatus, resolveReferences } from './check-fields.ts';
import { invalid, type Json, Refusal } from './netbox-request.ts';
import { displayRange } from './render.ts';
import { type Row, type TableName, type Tables, tableKinds } from './tables.ts';

export class OtherObjects {
  readonly #tables: Tables;
  readonly #isOld: boolean;
  readonly #makeSecret: () => string;
  #secrets = 0;

  constructor(tables: Tables, isOld: boolean, makeSecret?: () => string) {
    this.#tables = tables;
    this.#isOld = isOld;
    this.#makeSecret = makeSecret ?? (() => this.#nextSecret());
  }

  create(table: TableName, body: Json, context: CheckContext): Row {
    const fields: Record<string, unknown> = { ...body };
    checkStatus(fields);
    resolveReferences(fields, context);
    this.#checkUnique(table, fields);
    if (table === 'ipam/prefixes') this.#checkPrefix(fields);
    if (table === 'ipam/ip-ranges') this.#checkRange(fields);
    if (table === 'users/tokens') this.#fillToken(fields);
    if (table === 'users/permissions') sortTypes(fields);
    if (table === 'extras/custom-fields') Object.assign(fields, { ...ordinaryField, ...fields });
    return this.#tables.insert(table, fields);
  }

  /** A token keeps its time: only its use is noted. */
  update(table: TableName, row: Row, body: Json): void {
    if (table === 'users/tokens') row.fields = { ...row.fields, ...body };
    else this.#tables.update(row, body);
  }

  #checkUnique(table: TableName, fields: Json): void {
    const rows = this.#tables.all(table);
    const { unique, model, type } = tableKinds[table];
    const same = unique.filter((name) => rows.some((row) => row.fields[name] === fields[name]));
    if (same.length === 0) return;
    if (this.#isOld) {
      const lower = model.toLowerCase();
      const texts = same.map(
        (name) => [name, [`${lower} with this ${name} already exists.`]] as const,
      );
      throw new Refusal(400, Object.fromEntries(texts));
    }
    const constraint = type.replace('.', '_');
    const texts = same.map((name) => `Constraint “${constraint}_unique_${name}” is violated.`);
    throw new Refusal(400, { __all__: texts });
  }

  #checkPrefix(fields: Record<string, unknown>): void {
    const masked = readMasked(String(fields['prefix']));
    if (masked === undefined) {
      throw new Refusal(400, { prefix: [`Invalid prefix: ${String(fields['prefix'])}`] });
    }
    fields['prefix'] = formatMasked(masked);
    const double = this.#tables
      .all('ipam/prefixes')
      .find(
        (row) =>
          row.fields['prefix'] === fields['prefix'] &&
          (row.fields['vrf'] ?? null) === (fields['vrf'] ?? null),
      );
    if (double === undefined) return;
    invalid('prefix', `Duplicate prefix found in global table: ${String(fields['prefix'])}`);
  }

  #checkRange(fields: Record<string, unknown>): void {
    const [first, last] = [fields['start_address'], fields['end_address']].map((text) =>
      readMasked(String(text)),
    );
    if (first === undefined || last === undefined) {
      throw new Refusal(400, { start_address: ['Invalid address'] });
    }
    fields['size'] = Number(last.value - first.value + 1n);
    fields['start_address'] = formatMasked(first);
    fields['end_address'] = formatMasked(last);
    const other = this.#tables.all('ipam/ip-ranges').find((row) => {
      const [from, to] = [row.fields['start_address'], row.fields['end_address']].map((text) =>
        readMasked(String(text)),
      );
      if (from === undefined || to === undefined || from.version !== first.version) return false;
      return from.value <= last.value && first.value <= to.value;
    });
    if (other === undefined) return;
    const name = displayRange(
      String(other.fields['start_address']),
      String(other.fields['end_address']),
    );
    invalid('__all__', `Defined addresses overlap with range ${name} in VRF None`);
  }

  #fillToken(fields: Record<string, unknown>): void {
    const [key, token] = this.#makeSecret().split('.');
    const usual = {
      enabled: true,
      write_enabled: true,
      expires: null,
      allowed_ips: [],
      pepper_id: 1,
    };
    Object.assign(fields, { ...usual, key, token, ...fields });
  }

  #nextSecret(): string {
    this.#secrets += 1;
    const digits = String(this.#secrets);
    return `${digits.padStart(12, 'K')}.${digits.padStart(40, 'S')}`;
  }
}

const ordinaryField = { filter_logic: 'loose', required: false, unique: false, default: null };

function sortTypes(fields: Record<string, unknown>): void {
  const { object_types: types } = fields;
  if (!Array.isArray(types)) return;
  const appOf = (type: unknown) => String(type).split('.')[0] ?? '';
  fields['object_types'] = types.toSorted((left, right) => (appOf(left) < appOf(right) ? -1 : 0));
}
