/** A write of a Service's status as a log line. */

import type { Returned } from '../decide/allocation/allocation-plan.ts';
import type { LogFields } from '../runtime/log.ts';
import type { ServiceWrite } from './service-writer.ts';

const phrases = {
  assign: 'Assigned addresses',
  release: 'Released addresses',
  refuse: 'Refused addresses',
  keep: 'Updated Service',
  pending: 'Updated Service',
} as const;

export interface WriteLine {
  readonly message: string;
  readonly fields: LogFields;
}

/** Undefined for a release of nothing: only our marks were taken off. */
export function describeWrite({ key, decision }: ServiceWrite): WriteLine | undefined {
  const { kind, grant, condition, via, givesUp } = decision;
  const ips = kind === 'release' ? givesUp.map(({ ip }) => ip) : grant.ingress;
  if (kind === 'release' && ips.length === 0) return undefined;
  return {
    message: phrases[kind],
    fields: {
      service: key,
      ips,
      pools: kind === 'release' ? poolsOf(givesUp) : grant.pools,
      via,
      reason: condition?.reason,
      message: condition?.status === 'False' ? condition.message : undefined,
    },
  };
}

/** Undefined where no pool has them any more. */
function poolsOf(returned: readonly Returned[]): readonly string[] | undefined {
  const pools = new Set(returned.flatMap(({ pool }) => pool ?? []));
  return pools.size > 0 ? [...pools] : undefined;
}
