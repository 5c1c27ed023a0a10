import type { Setbacks } from '../decide/announcement/give-way.ts';
import type { NodeSnapshot } from '../decide/announcement/node-snapshot.ts';
import type { Placing } from '../decide/announcement/place-addresses.ts';
import type { HeldAddress, WantedAddress } from '../model/address.ts';
import type { ClusterView, MachineView } from './snapshot.ts';

/** What the last pass saw and decided. */
export interface PassRecord {
  readonly cluster: ClusterView;
  readonly machine: MachineView;
  readonly snapshot: NodeSnapshot;
  readonly placing: Placing;
  readonly liveness: ReadonlyMap<string, string>;
  readonly held: readonly HeldAddress[] | undefined;
  /** Local addresses that a copy without our mark serves in place of ours. */
  readonly serving: readonly WantedAddress[];
  readonly setbacks: Setbacks;
  readonly tookMs: number;
  readonly number: number;
  /** Of these passes, how many were over some Services since the last one over everything. */
  readonly parts: number;
}
