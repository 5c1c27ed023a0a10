/** What is kept of ServiceGroups, Namespaces and Leases. */

import type { Labels } from '../model/identity.ts';
import type { KubeObject } from '../model/kube-object.ts';
import type { Member } from '../model/member.ts';
import { isProblem, type Problem } from '../model/parsed.ts';
import { type Group, readGroup } from '../model/read-group.ts';
import { readLease } from '../model/read-lease.ts';
import { readNamespace } from '../model/read-namespace.ts';

export interface KnownGroup extends KubeObject {
  /** Undefined only for an object without a name. */
  readonly group: Group | undefined;
  readonly warnings: readonly Problem[];
}

export interface KnownNamespace extends KubeObject {
  readonly labels: Labels;
}

export interface KnownLease extends KubeObject {
  /** Undefined: not the Lease of a node. */
  readonly member: Member | undefined;
}

export function knowGroup(object: KubeObject): KnownGroup {
  const reading = readGroup(object);
  const { metadata } = object;
  const group = isProblem(reading) ? undefined : reading.value;
  return { metadata, status: object.status, group, warnings: reading.warnings };
}

export function knowNamespace({ metadata, ...object }: KubeObject): KnownNamespace {
  const reading = readNamespace({ metadata, ...object });
  const { name, uid = '', resourceVersion = '' } = metadata;
  const labels: Labels = isProblem(reading) ? new Map() : reading.value.labels;
  return { metadata: { name, uid, resourceVersion }, labels };
}

export function knowLease(object: KubeObject): KnownLease {
  const reading = readLease(object);
  const { name, namespace = '', uid = '', resourceVersion = '' } = object.metadata;
  const member = isProblem(reading) ? undefined : reading.value;
  return { metadata: { name, namespace, uid, resourceVersion }, member };
}
