import type { KubeObject } from '../model/kube-object.ts';

/** A kind of object and where the API server keeps it. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** Never set: carries the type of the objects. */
  readonly shape?: T;
}

export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The collection in one namespace, or in all of them when none is given. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const { group, version, plural, isNamespaced } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  if (namespace === undefined) return `${root}/${plural}`;
  if (!isNamespaced)
    throw new TypeError(`${plural} have no namespace, but "${namespace}" is given`);
  return `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

export function objectPath(resource: Resource, ref: ObjectRef, subresource?: 'status'): string {
  const { plural, isNamespaced } = resource;
  if (ref.name === '') throw new TypeError(`one of the ${plural} is asked for without its name`);
  if (isNamespaced && ref.namespace === undefined) {
    throw new TypeError(`${plural} "${ref.name}" is asked for without its namespace`);
  }
  const path = `${collectionPath(resource, ref.namespace)}/${encodeURIComponent(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** `namespace/name`, or the name alone where there is no namespace. */
export function keyOf({ namespace, name }: ObjectRef): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export function refOf({ metadata: { namespace, name } }: KubeObject): ObjectRef {
  return { namespace, name };
}
