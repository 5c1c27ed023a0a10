/** Namespace: its labels, for selectors; the UID of kube-system tells clusters apart. */

import { type Reading, read } from './cursor.ts';
import { type Labels, readIdentity, readTexts } from './identity.ts';
import type { KubeObject } from './kube-object.ts';

export interface ClusterNamespace {
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
}

export function readNamespace(object: KubeObject): Reading<ClusterNamespace> {
  return read(object, (root) => {
    const { metadata } = root.fields('metadata');
    const { name, uid } = readIdentity(metadata);
    return { name, uid, labels: readTexts(metadata.lenient().fields('labels').labels) };
  });
}
