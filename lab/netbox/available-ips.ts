/** Which addresses of a prefix or a range are free: those that no record has, lowest first. */

import { bitsOf, type Masked, maskedOf, readMasked, spanOf } from './addresses.ts';
import { displayRange } from './render.ts';
import type { Row, TableName, Tables } from './tables.ts';

export interface Parent {
  readonly table: 'ipam/prefixes' | 'ipam/ip-ranges';
  readonly row: Row;
}

export function isParentTable(table: TableName): table is Parent['table'] {
  return table === 'ipam/prefixes' || table === 'ipam/ip-ranges';
}

export function findAvailable(parent: Parent, tables: Tables, most: number): readonly Masked[] {
  const { mask, first, last } = extentOf(parent);
  const blocked = blockedSpans(parent, mask.version, tables);
  const taken = takenValues(parent.row, mask.version, tables);
  const free: Masked[] = [];
  for (let value = first; value <= last && free.length < most; value += 1n) {
    const span = blocked.find(([from, to]) => value >= from && value <= to);
    if (span !== undefined) value = span[1];
    else if (!taken.has(value)) free.push(maskedOf(mask.version, value, mask.length));
  }
  return free;
}

function extentOf({ table, row: { fields } }: Parent) {
  if (table === 'ipam/ip-ranges') {
    const mask = must(fields['start_address']);
    return { mask, first: mask.value, last: must(fields['end_address']).value };
  }
  const mask = must(fields['prefix']);
  const [first, last] = spanOf(mask);
  const isSmall = bitsOf(mask.version) - mask.length <= 1;
  if (fields['is_pool'] === true || isSmall) return { mask, first, last };
  return { mask, first: first + 1n, last: mask.version === 4 ? last - 1n : last };
}

/** A range that is marked as populated has nothing to give, in a prefix around it either. */
function blockedSpans({ table, row }: Parent, version: 4 | 6, tables: Tables) {
  const ranges = table === 'ipam/ip-ranges' ? [row] : tables.all('ipam/ip-ranges');
  return ranges
    .filter(({ fields }) => fields['mark_populated'] === true)
    .filter(({ fields }) => must(fields['start_address']).version === version)
    .map(
      ({ fields }) =>
        [must(fields['start_address']).value, must(fields['end_address']).value] as const,
    );
}

/** In any status, whoever's. */
function takenValues({ fields: parent }: Row, version: 4 | 6, tables: Tables): ReadonlySet<bigint> {
  const values = new Set<bigint>();
  for (const { fields } of tables.all('ipam/ip-addresses')) {
    if ((fields['vrf'] ?? null) !== (parent['vrf'] ?? null)) continue;
    const own = must(fields['address']);
    if (own.version === version) values.add(own.value);
  }
  return values;
}

export function findPopulated(address: string, tables: Tables): string | undefined {
  const own = must(address);
  const range = tables.all('ipam/ip-ranges').find(({ fields }) => {
    if (fields['mark_populated'] !== true) return false;
    const [first, last] = [must(fields['start_address']), must(fields['end_address'])];
    return first.version === own.version && own.value >= first.value && own.value <= last.value;
  });
  return (
    range &&
    displayRange(String(range.fields['start_address']), String(range.fields['end_address']))
  );
}

function must(text: unknown): Masked {
  const masked = readMasked(String(text));
  if (masked === undefined) throw new Error(`${String(text)} is no address`);
  return masked;
}
