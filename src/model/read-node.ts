/** Node → ClusterNode. Only a Node without a name is refused. */

import type { ClusterNode, Taint } from './cluster-node.ts';
import { readConditions } from './condition.ts';
import { type Cursor, type Reading, read } from './cursor.ts';
import { type Labels, readIdentity, readTexts } from './identity.ts';
import { type Ip, parseIp } from './ip.ts';
import type { KubeObject } from './kube-object.ts';
import { autoscalerTaint, excludeNodeLabel, zoneLabel } from './well-known-names.ts';

export function readNode(object: KubeObject): Reading<ClusterNode> {
  return read(object, (root) => {
    const { name, uid, isDeleting } = readIdentity(root.fields('metadata').metadata);
    const { metadata, spec, status } = root.lenient().fields('metadata', 'spec', 'status');
    const meta = metadata.fields('labels', 'annotations');
    const { unschedulable, taints } = spec.fields('unschedulable', 'taints');
    const labels = readTexts(meta.labels);
    const marks = taints.items().map(readTaint);
    return {
      name,
      uid,
      labels,
      annotations: readTexts(meta.annotations),
      ...readAddresses(status),
      isExcluded: isExcluded(labels),
      isCordoned: unschedulable.boolean() ?? false,
      isBeingRemoved: isDeleting || marks.some(({ key }) => key === autoscalerTaint),
      isShuttingDown: isShuttingDown(status),
      taints: marks,
      zone: labels.get(zoneLabel),
    };
  });
}

/** The label counts unless its value is one that Go reads as false. */
function isExcluded(labels: Labels): boolean {
  const value = labels.get(excludeNodeLabel);
  return value !== undefined && !['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value);
}

/** The kubelet's own words: nothing else of the Node tells it from one that is merely not ready. */
function isShuttingDown(status: Cursor): boolean {
  const conditions = readConditions(status.fields('conditions').conditions);
  return conditions.some(
    ({ type, status: state, message }) =>
      type === 'Ready' && state !== 'True' && message.includes('node is shutting down'),
  );
}

function readAddresses(status: Cursor): Pick<ClusterNode, 'internalIps' | 'externalIps'> {
  const { addresses } = status.fields('addresses');
  const found = addresses.items().map((item) => item.fields('type', 'address'));
  const ofType = (type: string): readonly Ip[] =>
    found
      .filter((entry) => entry.type.string() === type)
      .flatMap((entry) => entry.address.parse(parseIp) ?? []);
  return { internalIps: ofType('InternalIP'), externalIps: ofType('ExternalIP') };
}

function readTaint(cursor: Cursor): Taint {
  const { key, value, effect } = cursor.fields('key', 'value', 'effect');
  return { key: key.string() ?? '', value: value.string() ?? '', effect: effect.string() ?? '' };
}
