/** IP addresses: created one by one or from what is free, changed, and checked against all others. */

import { bitsOf, formatMasked } from './addresses.ts';
import { notAllowed } from './auth.ts';
import { findAvailable, findPopulated, type Parent } from './available-ips.ts';
import { type CheckContext, checkAddressFields, checkUnique } from './check-fields.ts';
import { invalid, type Json, Refusal, refuse } from './netbox-request.ts';
import type { Row, Tables } from './tables.ts';

const table = 'ipam/ip-addresses';

export class AddressBook {
  readonly #tables: Tables;
  readonly #enforcesGlobally: () => boolean;
  readonly #isOld: boolean;

  constructor(tables: Tables, enforcesGlobally: () => boolean, isOld: boolean) {
    this.#tables = tables;
    this.#enforcesGlobally = enforcesGlobally;
    this.#isOld = isOld;
  }

  /** All of a list or none; what a list has twice is not noticed. */
  create(body: unknown, context: CheckContext): readonly Row[] {
    const check = (each: Json) => {
      if (each['address'] === undefined) invalid('address', 'This field is required.');
      const fields = checkAddressFields(each, context);
      const populated = findPopulated(String(fields['address']), this.#tables);
      if (populated !== undefined) {
        const what = String(fields['address']);
        invalid('address', `Cannot create IP address ${what} inside range ${populated}.`);
      }
      checkUnique(fields, undefined, this.#tables, this.#enforcesGlobally());
      return fields;
    };
    return this.#insert(collect(body, check), body, context);
  }

  listAvailable(parent: Parent, most: number): readonly Json[] {
    const free = findAvailable(parent, this.#tables, most);
    const vrf = parent.row.fields['vrf'] ?? null;
    return free.map((masked) => ({ family: masked.version, address: formatMasked(masked), vrf }));
  }

  /** An address or a VRF in the body counts for nothing. */
  takeAvailable(parent: Parent, body: unknown, context: CheckContext): readonly Row[] {
    const wanted = Array.isArray(body) ? body.length : 1;
    const free = findAvailable(parent, this.#tables, wanted);
    if (free.length < wanted) {
      refuse(409, 'Insufficient resources are available to satisfy the request');
    }
    let index = 0;
    const check = (each: Json) => {
      const masked = free[index++];
      if (masked === undefined) throw new Error('counted above');
      const { address: _, vrf: __, ...rest } = each;
      const fields = checkAddressFields(rest, context);
      const length = this.#lengthOf(each['prefix_length'], masked.length, masked.version);
      const whole = {
        ...fields,
        address: formatMasked({ ...masked, length }),
        vrf: parent.row.fields['vrf'] ?? null,
      };
      checkUnique(whole, undefined, this.#tables, this.#enforcesGlobally());
      return whole;
    };
    return this.#insert(collect(body, check), body, context);
  }

  update(row: Row, body: Json, context: CheckContext): void {
    const fields = checkAddressFields(body, context);
    const before = row.fields['custom_fields'] as Json | undefined;
    const custom = fields['custom_fields'] as Json | undefined;
    const merged = custom === undefined ? {} : { custom_fields: { ...before, ...custom } };
    const whole = { ...row.fields, ...fields, ...merged };
    checkUnique(whole, row, this.#tables, this.#enforcesGlobally());
    if (!context.caller.mayTouch('change', table, { ...row, fields: whole }))
      refuse(403, notAllowed);
    this.#tables.update(row, whole);
    this.#note('update', row, body, context);
  }

  #lengthOf(value: unknown, parent: number, version: 4 | 6): number {
    if (this.#isOld || value === undefined) return parent;
    const length = Number(value);
    if (length < parent) {
      const message = `Prefix length must be greater than or equal to the parent mask length (${parent})`;
      throw new Refusal(400, [{ prefix_length: message }]);
    }
    if (length > bitsOf(version)) {
      throw new Refusal(400, [{ prefix_length: `Invalid prefix length (${length}) for IPv6` }]);
    }
    return length;
  }

  /** What the caller may not have made is taken back. */
  #insert(all: readonly Json[], body: unknown, context: CheckContext): readonly Row[] {
    const rows = all.map((fields) => this.#tables.insert(table, fields));
    if (rows.every((row) => context.caller.mayTouch('add', table, row))) {
      const texts = Array.isArray(body) ? body : [body];
      rows.forEach((row, index) => {
        this.#note('create', row, texts[index] as Json, context);
      });
      return rows;
    }
    for (const { id } of rows) this.#tables.delete(table, id);
    return refuse(403, notAllowed);
  }

  #note(action: 'create' | 'update', row: Row, body: Json, { caller }: CheckContext): void {
    this.#tables.insert('core/object-changes', {
      time: row.updated,
      user_name: caller.name,
      action: { value: action, label: `${action === 'create' ? 'Create' : 'Update'}d` },
      changed_object_id: row.id,
      message: body['changelog_message'] ?? '',
    });
  }
}

/** Of a list every item is looked at before any is refused. */
function collect(body: unknown, check: (each: Json) => Json): readonly Json[] {
  if (!Array.isArray(body)) return [check(body as Json)];
  const problems: unknown[] = [];
  const fields = (body as readonly Json[]).map((each) => {
    try {
      const checked = check(each);
      problems.push({});
      return checked;
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 400) throw error;
      problems.push(error.body);
      return {};
    }
  });
  if (problems.some((each) => Object.keys(each as Json).length > 0))
    throw new Refusal(400, problems);
  return fields;
}
