/** What the place and the fate of every Service depend on, beside itself. */

import type { Pool } from '../../model/pool.ts';
import type { GroupRecords } from '../../model/recorded-subnet.ts';
import type { AllocationSettings, AllocationState } from './allocation-state.ts';

export interface AllocationFrame extends Pick<AllocationState, 'namespaces' | 'settings'> {
  readonly pools: readonly Pool[];
  readonly recorded: GroupRecords;
}

export function frameOf({ pools, namespaces, settings }: AllocationState): AllocationFrame {
  return { pools: pools.pools, recorded: pools.recorded, namespaces, settings };
}

export function isSameFrame(
  frame: AllocationFrame,
  { pools: { pools, recorded }, namespaces, settings }: AllocationState,
) {
  return (
    isSameSettings(frame.settings, settings) &&
    isSameLabels(frame.namespaces, namespaces) &&
    areSameRecords(frame.recorded, recorded) &&
    frame.pools.length === pools.length &&
    frame.pools.every((pool, index) => isSamePool(pool, pools[index]))
  );
}

/** Mostly the very same: statuses change often, records rarely. */
function areSameRecords(left: GroupRecords, right: GroupRecords): boolean {
  return left === right || JSON.stringify([...left]) === JSON.stringify([...right]);
}

function isSameSettings(left: AllocationSettings, right: AllocationSettings): boolean {
  return (
    left.isDefaultAnnouncer === right.isDefaultAnnouncer &&
    left.convergesUnasked === right.convergesUnasked &&
    left.classes.join() === right.classes.join()
  );
}

/** A namespace that was not known had no Service that could be remembered. */
function isSameLabels(
  before: AllocationFrame['namespaces'],
  now: AllocationFrame['namespaces'],
): boolean {
  return [...now].every(([name, labels]) => (before.get(name) ?? labels) === labels);
}

/** A group's status changes with each allocation; its spec only with its generation. */
function isSamePool(left: Pool, right: Pool | undefined): boolean {
  if (left === right) return true;
  const { uid, generation } = left.identity;
  const isTracked = uid !== '' && generation > 0;
  return isTracked && uid === right?.identity.uid && generation === right.identity.generation;
}
