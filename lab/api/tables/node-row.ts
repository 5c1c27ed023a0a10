import type { ApiObject } from '../api-object.ts';
import { listAt, textAt, valueAt } from '../json.ts';
import {
  ageColumn,
  ageOf,
  column,
  type Layout,
  nameColumn,
  nameOf,
  orNone,
  wide,
} from './column.ts';
import { conditionOf } from './pod-row.ts';

export const nodeLayout: Layout = {
  columns: [
    nameColumn,
    column('Status'),
    column('Roles'),
    ageColumn,
    column('Version'),
    ...['Internal-IP', 'External-IP', 'OS-Image', 'Kernel-Version', 'Container-Runtime'].map(wide),
  ],
  cells: (node, now) => [
    nameOf(node),
    statusOf(node),
    orNone(rolesOf(node).join(',')),
    ageOf(node, now),
    textAt(node, 'status', 'nodeInfo', 'kubeletVersion'),
    addressOf(node, 'InternalIP'),
    addressOf(node, 'ExternalIP'),
    infoOf(node, 'osImage'),
    infoOf(node, 'kernelVersion') + architectureOf(node),
    infoOf(node, 'containerRuntimeVersion'),
  ],
};

function statusOf(node: ApiObject): string {
  const { status } = conditionOf(node, 'Ready');
  const readiness = status === 'True' ? 'Ready' : 'NotReady';
  const cordon = valueAt(node, 'spec', 'unschedulable') === true ? ',SchedulingDisabled' : '';
  return (status === undefined ? 'Unknown' : readiness) + cordon;
}

const rolePrefix = 'node-role.kubernetes.io/';

function rolesOf({ metadata: { labels = {} } }: ApiObject): readonly string[] {
  const named = Object.keys(labels)
    .filter((key) => key.startsWith(rolePrefix) && key !== rolePrefix)
    .map((key) => key.slice(rolePrefix.length));
  const plain = labels['kubernetes.io/role'] ?? '';
  return [...new Set([...named, ...(plain === '' ? [] : [plain])])].sort();
}

function addressOf(node: ApiObject, type: string): string {
  const found = listAt(node, 'status', 'addresses').find((it) => textAt(it, 'type') === type);
  return orNone(textAt(found, 'address'));
}

function infoOf(node: ApiObject, field: string): string {
  return textAt(node, 'status', 'nodeInfo', field) || '<unknown>';
}

function architectureOf(node: ApiObject): string {
  const architecture = textAt(node, 'status', 'nodeInfo', 'architecture');
  return architecture === '' ? '' : ` (${architecture})`;
}
