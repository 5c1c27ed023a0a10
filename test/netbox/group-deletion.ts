/** Short ways to delete Services and the group `default`, and to see what the deletion waits for. */

import type { KubeObject } from '../../src/model/kube-object.ts';
import { installNamespace } from '../allocator/allocator-world.ts';
import { groupsPath, type NetboxWorld, servicesPath } from './netbox-world.ts';

export const group = `${groupsPath}/default`;
export const finalizer = 'purelb.io/release-records';
const eventsPath = `/apis/events.k8s.io/v1/namespaces/${installNamespace}/events`;

export function groups(world: NetboxWorld): readonly KubeObject[] {
  return world.cluster.list(groupsPath);
}

export function finalizersOf(world: NetboxWorld): readonly string[] {
  return groups(world)[0]?.metadata.finalizers ?? [];
}

/** `reason: message` of a condition of the group; usually of the one that says what the deletion waits for. */
export function conditionOf(world: NetboxWorld, type = 'RecordsReturned'): string {
  const { conditions = [] } = { ...(groups(world)[0]?.status as Conditions | undefined) };
  const found = conditions.find((each) => each.type === type);
  return found === undefined ? '' : `${found.reason}: ${found.message}`;
}

interface Conditions {
  readonly conditions?: readonly { type: string; reason: string; message: string }[];
}

/** Notes of the Events on the group that have this reason. */
export function eventsOf(world: NetboxWorld, reason: string): readonly string[] {
  const events = world.cluster.list(eventsPath) as readonly (KubeObject & {
    readonly reason?: string;
    readonly note?: string;
  })[];
  return events.filter((event) => event.reason === reason).map(({ note = '' }) => note);
}

export function removeServices(world: NetboxWorld, ...names: readonly string[]): void {
  for (const name of names) world.cluster.send('DELETE', `${servicesPath}/${name}`);
}

export function removeGroup(world: NetboxWorld): void {
  world.cluster.send('DELETE', group);
}
