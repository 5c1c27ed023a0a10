/** Kubernetes objects → the facts that the picture shows. */

import type { Ip } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import type { ConditionFact, NodeFacts, ServiceFacts } from './cluster-facts.ts';

interface RawCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface RawStatus {
  readonly conditions?: readonly RawCondition[];
  readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] };
}

export interface ServiceReading extends Omit<ServiceFacts, 'endpoints'> {
  /** The first that takes datagrams. */
  readonly port: number | undefined;
}

interface RawPort {
  readonly port: number;
  readonly protocol?: string;
}

export function readService({ metadata, spec, status }: KubeObject): ServiceReading {
  const { namespace = '', name, annotations = {} } = metadata;
  const { type = 'ClusterIP', ports = [] } = spec as {
    readonly type?: string;
    readonly ports?: readonly RawPort[];
  };
  const { conditions = [], loadBalancer } = (status ?? {}) as RawStatus;
  const pool = annotations['purelb.io/allocated-from'];
  const kind = annotations['purelb.io/pool-type'];
  return {
    key: `${namespace}/${name}`,
    type,
    ips: (loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip === undefined ? [] : [ip as Ip])),
    pool: pool === undefined ? undefined : { name: pool, kind: kind === 'remote' ? kind : 'local' },
    conditions: conditions.map(readCondition),
    port: ports.find(({ protocol }) => protocol === 'UDP')?.port,
  };
}

function readCondition({ type, status, reason = '', message = '' }: RawCondition): ConditionFact {
  return { type, isTrue: status === 'True', reason, message };
}

/** A node that nobody knows is not ready. */
export function readNode(
  object: KubeObject | undefined,
): Pick<NodeFacts, 'isReady' | 'isCordoned'> {
  const { conditions = [] } = (object?.status ?? {}) as RawStatus;
  const { unschedulable = false } = (object?.spec ?? {}) as { readonly unschedulable?: boolean };
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  return { isReady, isCordoned: unschedulable };
}

interface RawEndpoint {
  readonly targetRef?: { readonly name?: string };
  readonly addresses?: readonly string[];
  readonly conditions?: { readonly ready?: boolean | null };
}

/** How many pods are ready behind each Service: one is in a slice for each of its addresses' families. */
export function readEndpoints(slices: readonly KubeObject[]): ReadonlyMap<string, number> {
  const ready = slices.flatMap((slice) =>
    readyNames(slice).map((name) => ({ service: serviceOf(slice), name })),
  );
  const names = Map.groupBy(ready, ({ service }) => service);
  return new Map([...names].map(([key, all]) => [key, new Set(all.map(({ name }) => name)).size]));
}

function serviceOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name']}`;
}

function readyNames(slice: KubeObject): readonly string[] {
  const { endpoints } = slice as { readonly endpoints?: readonly RawEndpoint[] | null };
  return (endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .map(({ targetRef, addresses = [] }) => targetRef?.name ?? addresses[0] ?? '');
}
