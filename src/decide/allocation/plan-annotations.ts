/** The annotations of a Service that say what it was given. */

import { encodeAllocatedPrefixes } from '../../model/address-lists.ts';
import {
  brand,
  formerAnnotations,
  resultAnnotations as names,
  requestAnnotations,
} from '../../model/annotations.ts';
import type { WantedGrant } from './allocation-plan.ts';

const { reEvaluate } = requestAnnotations;

/** As in a merge patch: null removes. */
type Annotations = Readonly<Record<string, string | null>>;

/** Undefined when nothing changes. */
export function planAnnotations(
  present: Readonly<Record<string, string>>,
  grant: WantedGrant,
): Annotations | undefined {
  const wanted: Annotations = {
    ...describeGrant(grant),
    ...describeBrand(present[names.allocatedBy], grant),
    ...(grant.wantsReEvaluation || present[reEvaluate] !== 'true' ? {} : { [reEvaluate]: null }),
    ...(grant.isCleared ? agentsAnnotations : {}),
  };
  const changes = Object.entries(wanted).filter(
    ([name, value]) => (present[name] ?? null) !== value,
  );
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

function describeGrant(grant: WantedGrant): Annotations {
  return {
    [names.allocatedFrom]: grant.pools.join(', ') || null,
    [names.allocatedPrefixes]: encodeAllocatedPrefixes(grant.prefixes) || null,
    [names.poolType]: grant.poolType ?? null,
    [names.skipDad]: grant.skipsDad ? 'true' : null,
  };
}

/** A brand that is not ours is someone else's. */
function describeBrand(present: string | undefined, { isOurs }: WantedGrant): Annotations {
  if (isOurs) return { [names.allocatedBy]: brand };
  return present === brand ? { [names.allocatedBy]: null } : {};
}

const agentsAnnotations: Annotations = Object.fromEntries(
  [
    names.announcingIpv4,
    names.announcingIpv6,
    names.addedTo,
    ...Object.values(formerAnnotations),
  ].map((name) => [name, null]),
);
