/**
 * A decision → the one write that carries it out: a merge patch (RFC 7396) of `services/status`, which takes annotations
 * and finalizers as well. It holds only for the object in hand: a paused former leader cannot undo a newer write.
 */

import { type Ip, parseIp } from '../../model/ip.ts';
import type { KubeObject } from '../../model/kube-object.ts';
import { isProblem } from '../../model/parsed.ts';
import { conditionTypes } from '../../model/reasons.ts';
import { cleanupFinalizer } from '../../model/well-known-names.ts';
import type { ServiceDecision, WantedGrant } from './allocation-plan.ts';
import { mergeConditions } from './merge-conditions.ts';
import { planAnnotations } from './plan-annotations.ts';
import { isSameJson } from './same-json.ts';

/** For `application/merge-patch+json`. */
export interface ServicePatch {
  readonly metadata: {
    readonly uid?: string | undefined;
    readonly resourceVersion?: string | undefined;
    readonly annotations?: Readonly<Record<string, string | null>>;
    readonly finalizers?: readonly string[];
  };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress: readonly unknown[] | null };
    readonly conditions?: readonly unknown[];
  };
}

/** Undefined when the object says all of it already. */
export function planServicePatch(
  object: KubeObject,
  { grant, condition }: ServiceDecision,
  now: number,
): ServicePatch | undefined {
  const { uid, resourceVersion } = object.metadata;
  const annotations = planAnnotations(object.metadata.annotations ?? {}, grant);
  const finalizers = planFinalizers(object.metadata.finalizers ?? [], grant);
  const status = readStatus(object.status);
  const ingress = planIngress(status.ingress, grant.ingress);
  const wanted = condition === undefined ? [] : [condition];
  const ours = grant.isCleared ? conditionTypes.Service : ['Allocated'];
  const conditions = mergeConditions(status.conditions, wanted, ours, now);
  if ([annotations, finalizers, ingress, conditions].every((part) => part === undefined)) {
    return undefined;
  }
  return {
    metadata: { uid, resourceVersion, ...given({ annotations, finalizers }) },
    ...(ingress === undefined && conditions === undefined
      ? {}
      : { status: { ...given({ conditions }), ...(ingress && { loadBalancer: ingress }) } }),
  };
}

/** The rewrite of externalTrafficPolicy, which is part of the Service itself; no other edit of it stands in its way. */
export function planPolicyPatch(object: KubeObject, { policy }: ServiceDecision) {
  if (policy === undefined) return undefined;
  return { metadata: { uid: object.metadata.uid }, spec: { externalTrafficPolicy: policy } };
}

function planFinalizers(
  present: readonly string[],
  { hasFinalizer }: WantedGrant,
): readonly string[] | undefined {
  if (present.includes(cleanupFinalizer) === hasFinalizer) return undefined;
  return hasFinalizer
    ? [...present, cleanupFinalizer]
    : present.filter((name) => name !== cleanupFinalizer);
}

/** Entries that are no addresses are others' and stay. */
function planIngress(
  present: readonly IngressEntry[],
  wanted: readonly Ip[],
): { readonly ingress: readonly IngressEntry[] | null } | undefined {
  const entryOf = new Map(present.map((entry) => [ipOfEntry(entry), entry]));
  const own = wanted.map((ip) => ({ ...entryOf.get(ip), ip, ipMode: 'VIP' }));
  const others = present.filter((entry) => ipOfEntry(entry) === undefined);
  const ingress = [...own, ...others];
  // API servers that know no ipMode leave it out; it must not be written for ever.
  if (isSameJson(ingress, present.map(withDefaults))) return undefined;
  return { ingress: ingress.length === 0 ? null : ingress };
}

type IngressEntry = Readonly<Record<string, unknown>>;

function withDefaults(entry: IngressEntry): IngressEntry {
  const ip = ipOfEntry(entry);
  return ip === undefined ? entry : { ipMode: 'VIP', ...entry, ip };
}

function ipOfEntry({ ip }: IngressEntry): Ip | undefined {
  const parsed = parseIp(typeof ip === 'string' ? ip : '');
  return isProblem(parsed) ? undefined : parsed.value;
}

function readStatus(status: unknown): {
  readonly ingress: readonly IngressEntry[];
  readonly conditions: unknown;
} {
  const { loadBalancer, conditions } = fieldsOf(status);
  const { ingress } = fieldsOf(loadBalancer);
  return { ingress: Array.isArray(ingress) ? ingress.map(fieldsOf) : [], conditions };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Only what there is: a field that is undefined would not be one. */
function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
