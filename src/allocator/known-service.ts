/**
 * What is kept of each Service: our reading of it, and as it stands only what a patch of ours replaces. Of those that
 * are none of our business nothing but who they are.
 */

import type { KubeObject, ObjectMeta } from '../model/kube-object.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import { isProblem, type Problem } from '../model/parsed.ts';
import { readService } from '../model/read-service.ts';
import { cleanupFinalizer } from '../model/well-known-names.ts';
import { ServiceCompactor } from './compact-service.ts';

export interface KnownService extends KubeObject {
  /** Undefined: neither of type LoadBalancer nor marked by us. */
  readonly balancer: LoadBalancer | undefined;
  /** What of it cannot be read, or is probably meant otherwise. */
  readonly warnings: readonly Problem[];
}

export function serviceProjection(): (object: KubeObject) => KnownService {
  const compactor = new ServiceCompactor();
  return (object) => knowService(object, compactor);
}

function knowService(object: KubeObject, compactor: ServiceCompactor): KnownService {
  const { name, namespace = '', uid = '', resourceVersion = '' } = object.metadata;
  const identity: ObjectMeta = { name, namespace, uid, resourceVersion };
  if (!mayConcernUs(object)) return { metadata: identity, balancer: undefined, warnings: none };
  const reading = readService(object);
  return {
    metadata: { ...identity, ...replaceable(object.metadata) },
    status: object.status,
    balancer: isProblem(reading) ? undefined : compactor.compact(reading.value),
    warnings: reading.warnings.length === 0 ? none : reading.warnings,
  };
}

const none: readonly Problem[] = [];
const prefix = 'purelb.io/';

/** Of annotations ours alone: others are often large, and a merge patch leaves them as they are. */
function replaceable({ annotations = {}, finalizers }: ObjectMeta): Partial<ObjectMeta> {
  const ours = Object.entries(annotations).filter(([key]) => key.startsWith(prefix));
  return {
    ...(ours.length === 0 ? {} : { annotations: Object.fromEntries(ours) }),
    ...(finalizers === undefined ? {} : { finalizers }),
  };
}

function mayConcernUs({ metadata, spec }: KubeObject): boolean {
  const { type } = (spec ?? {}) as { readonly type?: unknown };
  if (type === 'LoadBalancer' || metadata.finalizers?.includes(cleanupFinalizer)) return true;
  return Object.keys(metadata.annotations ?? {}).some((name) => name.startsWith(prefix));
}

/**
 * Whether a change can lead to another decision. What the agents write does not: each Service gets several such
 * writes when it is announced, and a plan looks at what they say only when something else makes it give up an address.
 */
export function mattersToPlan(
  before: KnownService | undefined,
  after: KnownService | undefined,
): boolean {
  const [was, is] = [before?.balancer, after?.balancer];
  if (was === undefined || is === undefined) return was !== is;
  return JSON.stringify(essence(was)) !== JSON.stringify(essence(is));
}

function essence({ identity, labels, grant, conditions, ...rest }: LoadBalancer) {
  const { slots: _, strayFamilies: __, addedTo: ___, ...given } = grant;
  return {
    ...rest,
    uid: identity.uid,
    isDeleting: identity.isDeleting,
    labels: [...labels],
    grant: given,
    conditions: conditions.filter(({ type }) => type === 'Allocated'),
  };
}
