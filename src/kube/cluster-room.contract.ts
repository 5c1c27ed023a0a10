/** What the cases of the cluster's contract share. */

import assert from 'node:assert/strict';
import type { KubeObject } from '../model/kube-object.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import type { ApiServerConfig } from './api-server-config.ts';
import type { Cluster } from './cluster.ts';
import { namespaces } from './resources.ts';

export const clock = new SystemClock();

/** A namespace of its own for one case. */
export interface Room {
  readonly cluster: Cluster;
  readonly config: ApiServerConfig;
  readonly namespace: string;
  readonly shop: { readonly namespace: string; readonly name: string };
}

let rooms = 0;

export async function freshRoom(cluster: Cluster, config: ApiServerConfig): Promise<Room> {
  rooms += 1;
  const namespace = `contract-${rooms}-${process.pid}`;
  await cluster.create(namespaces, { metadata: { name: namespace } });
  return { cluster, config, namespace, shop: { namespace, name: 'shop' } };
}

export type Cases = Readonly<Record<string, (room: Room) => Promise<void>>>;

export function service(
  ref: { namespace: string; name: string },
  fields: Partial<KubeObject> = {},
) {
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: ref.name } };
  return { spec, ...fields, metadata: { ...ref, ...fields.metadata } };
}

export async function error(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => assert.fail('it should have been refused'),
    (reason: unknown) => reason,
  );
}

/** Lets what runs in the background come about; no case depends on how long it takes. */
export function moment(): Promise<void> {
  return new Promise((resolve) => clock.after(500, resolve));
}
