/** Which objects a query means. What it does not know it ignores, and so means everything: the worst of its habits. */

import { compareMasked, readMasked, spanOf } from './addresses.ts';
import { invalid } from './netbox-request.ts';
import type { Row, TableName, Tables } from './tables.ts';

export interface FilterSettings {
  /** Texts of addresses are compared as they come. */
  readonly isLiteral: boolean;
}

type Test = (row: Row) => boolean;
type MakeTest = (values: readonly string[], tables: Tables, settings: FilterSettings) => Test;

const statuses = ['active', 'reserved', 'deprecated', 'dhcp', 'slaac', 'container'];

export function filterRows(
  table: TableName,
  query: URLSearchParams,
  tables: Tables,
  settings: FilterSettings,
): readonly Row[] {
  const tests = [...new Set(query.keys())].flatMap((name) => {
    const values = query.getAll(name);
    const make = findFilter(table, name, tables);
    return make === undefined ? [] : [make(values, tables, settings)];
  });
  return tables.all(table).filter((row) => tests.every((test) => test(row)));
}

function findFilter(table: TableName, name: string, tables: Tables): MakeTest | undefined {
  if (name.startsWith('cf_')) return findCustomFilter(name.slice(3), tables);
  return perTable[table]?.[name] ?? everywhere[name];
}

/** One that nobody defined, or that is not to be filtered by, is ignored like any other word. */
function findCustomFilter(name: string, tables: Tables): MakeTest | undefined {
  const field = tables.all('extras/custom-fields').find(({ fields }) => fields['name'] === name);
  const logic = field?.fields['filter_logic'];
  if (field === undefined || logic === 'disabled') return undefined;
  return (values) => (row) => {
    const own = (row.fields['custom_fields'] as Record<string, unknown> | undefined)?.[name];
    if (typeof own !== 'string') return false;
    return values.some((value) => (logic === 'exact' ? own === value : own.includes(value)));
  };
}

const isOneOf =
  (field: string): MakeTest =>
  (values) =>
  ({ fields }) =>
    values.includes(String(fields[field] ?? ''));

/** By what the row refers to; a name that nothing has is an error, unlike an unknown filter. */
function refersTo(field: string, table: TableName, column: string): MakeTest {
  return (values, tables) => {
    const ids = values.map((value) => {
      const found = tables.all(table).find(({ fields }) => String(fields[column]) === value);
      return found?.id ?? badChoice(field, value);
    });
    return ({ fields }) => hasAny(fields[field === 'tag' ? 'tags' : field], ids);
  };
}

function hasAny(value: unknown, ids: readonly number[]): boolean {
  const own = Array.isArray(value) ? value : [value];
  return own.some((id) => ids.includes(id as number));
}

function badChoice(field: string, value: string): never {
  return invalid(field, `Select a valid choice. ${value} is not one of the available choices.`);
}

const byStatus: MakeTest = (values) => {
  for (const value of values) if (!statuses.includes(value)) badChoice('status', value);
  return ({ fields }) => values.includes(String(fields['status'] ?? 'active'));
};

const byVrfId: MakeTest =
  (values) =>
  ({ fields }) =>
    values.some((value) =>
      value === 'null' ? (fields['vrf'] ?? null) === null : fields['vrf'] === Number(value),
    );

const byFamily: MakeTest =
  (values) =>
  ({ fields }) => {
    const text = fields['address'] ?? fields['prefix'] ?? fields['start_address'];
    return values.includes(String(readMasked(String(text))?.version));
  };

/** With a mask exactly that, without one any. */
function byAddress(field: string): MakeTest {
  return (values, _, { isLiteral }) => {
    const wanted = values.flatMap((value) => {
      const masked = readMasked(value);
      const isKnown = masked !== undefined && (!isLiteral || value.split('/')[0] === masked.ip);
      return isKnown ? [{ masked, hasMask: value.includes('/') }] : [];
    });
    return ({ fields }) => {
      const own = readMasked(String(fields[field]));
      return wanted.some(
        ({ masked, hasMask }) =>
          own?.ip === masked.ip && (!hasMask || own.length === masked.length),
      );
    };
  };
}

const byParent: MakeTest =
  (values) =>
  ({ fields }) => {
    const own = readMasked(String(fields['address']));
    return values.some((value) => {
      const parent = readMasked(value);
      if (own === undefined || parent === undefined || own.version !== parent.version) return false;
      const [first, last] = spanOf(parent);
      return own.value >= first && own.value <= last;
    });
  };

const byContents: MakeTest =
  (values) =>
  ({ fields }) => {
    const own = readMasked(String(fields['prefix']));
    return values.some((value) => {
      const inner = readMasked(value);
      if (own === undefined || inner === undefined || own.version !== inner.version) return false;
      const [first, last] = spanOf(own);
      return inner.value >= first && inner.value <= last;
    });
  };

const everywhere: Readonly<Record<string, MakeTest>> = {
  id: (values) => (row) => values.includes(String(row.id)),
  name: isOneOf('name'),
  slug: isOneOf('slug'),
  description: isOneOf('description'),
};

const related: Readonly<Record<string, MakeTest>> = {
  tenant: refersTo('tenant', 'tenancy/tenants', 'slug'),
  tenant_id: isOneOf('tenant'),
  tag: refersTo('tag', 'extras/tags', 'slug'),
  vrf: refersTo('vrf', 'ipam/vrfs', 'rd'),
  vrf_id: byVrfId,
  family: byFamily,
  status: byStatus,
};

const perTable: Partial<Record<TableName, Readonly<Record<string, MakeTest>>>> = {
  'ipam/ip-addresses': {
    ...related,
    address: byAddress('address'),
    parent: byParent,
    role: isOneOf('role'),
    dns_name: isOneOf('dns_name'),
    description__isw:
      (values) =>
      ({ fields }) =>
        values.some((value) => String(fields['description'] ?? '').startsWith(value)),
    q:
      (values) =>
      ({ fields }) =>
        values.some((value) => String(fields['description'] ?? '').includes(value)),
  },
  'ipam/prefixes': { ...related, prefix: byAddress('prefix'), contains: byContents },
  'ipam/ip-ranges': {
    ...related,
    start_address: byAddress('start_address'),
    end_address: byAddress('end_address'),
  },
  'ipam/vrfs': { rd: isOneOf('rd') },
};

export function sortRows(rows: readonly Row[], ordering: string | null): readonly Row[] {
  const isDown = ordering?.startsWith('-') ?? false;
  const compare = comparisons[ordering?.replace('-', '') ?? ''] ?? byAddressThenId;
  const sorted = rows.toSorted(compare);
  return isDown ? sorted.reverse() : sorted;
}

const byAddressThenId = (left: Row, right: Row) => {
  const [first, second] = [left, right].map(({ fields }) =>
    readMasked(String(fields['address'] ?? '')),
  );
  const byAddress =
    first && second ? compareMasked({ ...first, length: 0 }, { ...second, length: 0 }) : 0;
  return byAddress || left.id - right.id;
};

const comparisons: Readonly<Record<string, (left: Row, right: Row) => number>> = {
  id: (left, right) => left.id - right.id,
  last_updated: (left, right) => (left.updated < right.updated ? -1 : 1),
  time: (left, right) => (left.updated < right.updated ? -1 : 1),
};
