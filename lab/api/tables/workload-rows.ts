/** Rows of what runs pods, and of what protects them. */

import type { ApiObject } from '../api-object.ts';
import { listAt, objectAt, textAt, valueAt } from '../json.ts';
import {
  ageColumn,
  ageOf,
  column,
  formatLabels,
  integer,
  type Layout,
  nameColumn,
  nameOf,
  orNone,
  wide,
} from './column.ts';
import { formatSelector } from './format-selector.ts';

function count(object: ApiObject, ...path: readonly string[]): number {
  return Number(valueAt(object, ...path) ?? 0);
}

function containers(object: ApiObject): readonly string[] {
  const found = listAt(object, 'spec', 'template', 'spec', 'containers');
  return ['name', 'image'].map((field) => found.map((it) => textAt(it, field)).join(','));
}

function selectorOf(object: ApiObject): string {
  return orNone(formatSelector(valueAt(object, 'spec', 'selector')));
}

const template = [wide('Containers'), wide('Images')];

function readiness(object: ApiObject): string {
  return `${count(object, 'status', 'readyReplicas')}/${count(object, 'spec', 'replicas')}`;
}

export const deploymentLayout: Layout = {
  columns: [
    nameColumn,
    ...['Ready', 'Up-to-date', 'Available'].map((name) => column(name)),
    ageColumn,
    ...template,
    wide('Selector'),
  ],
  cells: (object, now) => [
    nameOf(object),
    readiness(object),
    count(object, 'status', 'updatedReplicas'),
    count(object, 'status', 'availableReplicas'),
    ageOf(object, now),
    ...containers(object),
    formatSelector(valueAt(object, 'spec', 'selector')),
  ],
};

export const replicaSetLayout: Layout = {
  columns: [
    nameColumn,
    ...['Desired', 'Current', 'Ready'].map(integer),
    ageColumn,
    ...template,
    wide('Selector'),
  ],
  cells: (object, now) => [
    nameOf(object),
    count(object, 'spec', 'replicas'),
    count(object, 'status', 'replicas'),
    count(object, 'status', 'readyReplicas'),
    ageOf(object, now),
    ...containers(object),
    selectorOf(object),
  ],
};

export const statefulSetLayout: Layout = {
  columns: [nameColumn, column('Ready'), ageColumn, ...template],
  cells: (object, now) => [
    nameOf(object),
    readiness(object),
    ageOf(object, now),
    ...containers(object),
  ],
};

export const daemonSetLayout: Layout = {
  columns: [
    nameColumn,
    ...['Desired', 'Current', 'Ready', 'Up-to-date', 'Available'].map(integer),
    column('Node Selector'),
    ageColumn,
    ...template,
    wide('Selector'),
  ],
  cells: (object, now) => [
    nameOf(object),
    count(object, 'status', 'desiredNumberScheduled'),
    count(object, 'status', 'currentNumberScheduled'),
    count(object, 'status', 'numberReady'),
    count(object, 'status', 'updatedNumberScheduled'),
    count(object, 'status', 'numberAvailable'),
    formatLabels(objectAt(object, 'spec', 'template', 'spec', 'nodeSelector')),
    ageOf(object, now),
    ...containers(object),
    selectorOf(object),
  ],
};

export const podDisruptionBudgetLayout: Layout = {
  columns: [
    nameColumn,
    column('Min Available'),
    column('Max Unavailable'),
    integer('Allowed Disruptions'),
    ageColumn,
  ],
  cells: (object, now) => [
    nameOf(object),
    String(valueAt(object, 'spec', 'minAvailable') ?? 'N/A'),
    String(valueAt(object, 'spec', 'maxUnavailable') ?? 'N/A'),
    count(object, 'status', 'disruptionsAllowed'),
    ageOf(object, now),
  ],
};

export const controllerRevisionLayout: Layout = {
  columns: [nameColumn, column('Controller'), column('Revision'), ageColumn],
  cells: (object, now) => [
    nameOf(object),
    controllerOf(object),
    Number(object['revision'] ?? 0),
    ageOf(object, now),
  ],
};

function controllerOf({ metadata: { ownerReferences = [] } }: ApiObject): string {
  const owner = ownerReferences.find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const [group = '', version] = textAt(owner, 'apiVersion').split('/');
  const kind = textAt(owner, 'kind').toLowerCase();
  return `${kind}${version === undefined ? '' : `.${group}`}/${textAt(owner, 'name')}`;
}
