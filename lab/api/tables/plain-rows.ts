/** Rows of kinds with little to show. */

import type { ApiObject } from '../api-object.ts';
import { type Json, listAt, objectAt, textAt, valueAt } from '../json.ts';
import {
  ageColumn,
  ageOf,
  column,
  integer,
  type Layout,
  nameColumn,
  nameOf,
  orNone,
  wide,
} from './column.ts';
import { formatSelector } from './format-selector.ts';

type Cell = readonly [name: string, value: (object: ApiObject) => Json];

/** Name, these, age. */
function plain(...cells: readonly Cell[]): Layout {
  return {
    columns: [nameColumn, ...cells.map(([name]) => column(name)), ageColumn],
    cells: (object, now) => [
      nameOf(object),
      ...cells.map(([, value]) => value(object)),
      ageOf(object, now),
    ],
  };
}

const size = (object: ApiObject, field: string) => Object.keys(objectAt(object, field)).length;

export const namespaceLayout = plain(['Status', (it) => textAt(it, 'status', 'phase')]);
export const configMapLayout = plain(['Data', (it) => size(it, 'data') + size(it, 'binaryData')]);
export const secretLayout = plain(
  ['Type', (it) => textAt(it, 'type')],
  ['Data', (it) => size(it, 'data')],
);
export const serviceAccountLayout = plain();
export const leaseLayout = plain(['Holder', (it) => textAt(it, 'spec', 'holderIdentity')]);
export const networkPolicyLayout = plain([
  'Pod-Selector',
  (it) => orNone(formatSelector(valueAt(it, 'spec', 'podSelector'))),
]);

/** Of kinds without columns of their own. */
export const defaultLayout: Layout = {
  columns: [nameColumn, { ...column('Created At'), type: 'date' }],
  cells: (object) => [nameOf(object), object.metadata.creationTimestamp ?? ''],
};

export const priorityClassLayout: Layout = {
  columns: [
    nameColumn,
    integer('Value'),
    column('Global-Default', 'boolean'),
    ageColumn,
    column('PreemptionPolicy'),
  ],
  cells: (object, now) => [
    nameOf(object),
    Number(object['value'] ?? 0),
    object['globalDefault'] === true,
    ageOf(object, now),
    textAt(object, 'preemptionPolicy'),
  ],
};

export const bindingLayout: Layout = {
  columns: [
    nameColumn,
    column('Role'),
    ageColumn,
    ...['Users', 'Groups', 'ServiceAccounts'].map(wide),
  ],
  cells: (object, now) => [
    nameOf(object),
    `${textAt(object, 'roleRef', 'kind')}/${textAt(object, 'roleRef', 'name')}`,
    ageOf(object, now),
    ...['User', 'Group', 'ServiceAccount'].map((kind) => subjectsOf(object, kind)),
  ],
};

function subjectsOf(object: ApiObject, kind: string): string {
  return listAt(object, 'subjects')
    .filter((subject) => textAt(subject, 'kind') === kind)
    .map((subject) => {
      const name = textAt(subject, 'name');
      return kind === 'ServiceAccount' ? `${textAt(subject, 'namespace')}/${name}` : name;
    })
    .join(', ');
}
