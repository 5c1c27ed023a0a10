/** What is in `deploy`, as an administrator would apply it. */

import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { Resource } from '../src/kube/resource.ts';
import type { KubeObject } from '../src/model/kube-object.ts';

export function readManifest(name: string): readonly KubeObject[] {
  const url = new URL(`../deploy/${name}.yaml`, import.meta.url);
  const documents = parseAllDocuments(readFileSync(url, 'utf8'));
  return documents.map((document) => document.toJS() as KubeObject);
}

/** What the accounts may write, and what others may not: see deploy/policies. */
export const policyManifests: readonly string[] = [
  'policies/agent-objects',
  'policies/agent-services',
  'policies/allocator',
  'policies/results',
];

/** The API names collections by the rules of English: `leases`, `networkpolicies`. */
export function resourceOf({ apiVersion = 'v1', kind = '', metadata }: KubeObject): Resource {
  const [group = '', version = ''] = apiVersion.includes('/')
    ? apiVersion.split('/')
    : ['', apiVersion];
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, 'ies');
  return { group, version, kind, plural, isNamespaced: metadata.namespace !== undefined };
}

/** Of the collection that the object is created in. */
export function collectionPath(object: KubeObject): string {
  const { group, version, plural } = resourceOf(object);
  const { namespace } = object.metadata;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`;
}
