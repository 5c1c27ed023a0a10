/** How many pods each ReplicaSet of a Deployment is to have next. */

export interface RolloutSet {
  readonly name: string;
  readonly wanted: number;
  readonly available: number;
  /** Pods that still exist, ending ones too. */
  readonly existing: number;
}

export interface Rollout {
  readonly replicas: number;
  readonly isRecreated: boolean;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  readonly current: RolloutSet;
  /** Oldest first. */
  readonly old: readonly RolloutSet[];
}

const sum = (sets: readonly RolloutSet[], value: (set: RolloutSet) => number) =>
  sets.reduce((total, set) => total + value(set), 0);

/** Wanted replicas by the name of the set. */
export function planRollout(rollout: Rollout): ReadonlyMap<string, number> {
  return rollout.isRecreated ? planRecreation(rollout) : planRolling(rollout);
}

/** The new ones start when the old ones are gone. */
function planRecreation({ replicas, current, old }: Rollout): ReadonlyMap<string, number> {
  const isClear = old.every(({ wanted, existing }) => wanted === 0 && existing === 0);
  const down = old.map(({ name }) => [name, 0] as const);
  return new Map([...down, [current.name, isClear ? replicas : current.wanted]]);
}

/** Never more than the surge allows, never fewer available than promised. */
function planRolling(rollout: Rollout): ReadonlyMap<string, number> {
  const { replicas, maxSurge, current, old } = rollout;
  const total = current.wanted + sum(old, ({ wanted }) => wanted);
  const room = Math.max(0, replicas + maxSurge - total);
  const next = Math.min(replicas, current.wanted + room);
  return new Map([[current.name, next], ...shrinkOld(rollout, total)]);
}

/** Pods that do not work go first: nobody misses them. */
function shrinkOld(
  { replicas, maxUnavailable, current, old }: Rollout,
  total: number,
): readonly (readonly [string, number])[] {
  const promised = replicas - maxUnavailable;
  const notYet = current.wanted - current.available;
  let spare = Math.max(0, total - promised - notYet);
  const healthy = old.map((set) => {
    const broken = Math.min(spare, Math.max(0, set.wanted - set.available));
    spare -= broken;
    return { ...set, wanted: set.wanted - broken };
  });
  const available = current.available + sum(healthy, (it) => Math.min(it.available, it.wanted));
  let surplus = Math.min(spare, Math.max(0, available - promised));
  return healthy.map(({ name, wanted }) => {
    const going = Math.min(surplus, wanted);
    surplus -= going;
    return [name, wanted - going];
  });
}

/** `25%` of the replicas, or a plain number. */
export function resolveShare(share: unknown, replicas: number, round: 'up' | 'down'): number {
  const percent = /^(\d+)%$/.exec(String(share))?.[1];
  if (percent === undefined) return Number(share ?? 0);
  const exact = (Number(percent) * replicas) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
