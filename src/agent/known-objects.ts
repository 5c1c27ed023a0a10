/** What is kept of each object that the agent watches: our reading of it, and who it is. */

import { resultAnnotations } from '../model/annotations.ts';
import type { ClusterNode } from '../model/cluster-node.ts';
import type { KubeObject, ObjectMeta } from '../model/kube-object.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { Member } from '../model/member.ts';
import { isProblem } from '../model/parsed.ts';
import { type AgentOffer, readAgentOffer } from '../model/read-agent-offer.ts';
import { readEndpointSlice } from '../model/read-endpoint-slice.ts';
import { type Group, readGroup } from '../model/read-group.ts';
import { readLease } from '../model/read-lease.ts';
import { readNode } from '../model/read-node.ts';
import { readService } from '../model/read-service.ts';
import type { ServiceEndpoints } from '../model/service-endpoints.ts';

/** `essence`: as long as it stays the same, nothing is decided otherwise. */
interface Known<T> extends KubeObject {
  /** Undefined: none of our business, or not to be read. */
  readonly value: T | undefined;
  readonly essence: string;
}

export type KnownService = Known<LoadBalancer>;
export type KnownGroup = Known<Group>;
export type KnownOffer = Known<AgentOffer>;
export type KnownNode = Known<ClusterNode>;
export type KnownLease = Known<Member>;
export type KnownSlice = Known<ServiceEndpoints>;

/** Only Services with an address of ours: all others are the allocator's business, or nobody's. */
export function knowService(object: KubeObject): KnownService {
  const isOurs = object.metadata.annotations?.[resultAnnotations.allocatedBy] !== undefined;
  const reading = isOurs ? readService(object) : undefined;
  const value = reading === undefined || isProblem(reading) ? undefined : reading.value;
  const { identity, labels: _, conditions: __, ...rest } = value ?? {};
  return known(object, value, { ...rest, isDeleting: identity?.isDeleting });
}

export function knowGroup(object: KubeObject): KnownGroup {
  const reading = readGroup(object);
  const value = isProblem(reading) ? undefined : reading.value;
  const { generation } = object.metadata;
  const { quarantine, subnets } = value?.status ?? {};
  return known(object, value, { generation, quarantine, subnets });
}

export function knowOffer(object: KubeObject): KnownOffer {
  return known(object, readAgentOffer(object), object.metadata.generation);
}

export function knowNode(object: KubeObject): KnownNode {
  const reading = readNode(object);
  const value = isProblem(reading) ? undefined : reading.value;
  const labels = [...(value?.labels ?? [])];
  return known(object, value, { ...value, labels, annotations: undefined });
}

export function knowLease(object: KubeObject): KnownLease {
  const reading = readLease(object);
  const value = isProblem(reading) ? undefined : reading.value;
  // Lifetimes are told anew with each renewal.
  const { renewTime: _, resourceVersion: __, lifetimes: ___, ...rest } = value ?? {};
  return known(object, value, rest);
}

export function knowSlice(object: KubeObject): KnownSlice {
  const reading = readEndpointSlice(object);
  const value = isProblem(reading) ? undefined : reading.value;
  return known(object, value, value);
}

function known<T>({ metadata }: KubeObject, value: T | undefined, essence: unknown): Known<T> {
  const { name, namespace, uid = '', resourceVersion = '' } = metadata;
  const identity: ObjectMeta = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid,
    resourceVersion,
  };
  const text = value === undefined ? '' : (JSON.stringify([uid, essence], plain) ?? '');
  return { metadata: identity, value, essence: text };
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
