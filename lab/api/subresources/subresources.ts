import type { Resource } from '../resource.ts';
import { binding } from './binding.ts';
import { eviction } from './eviction.ts';
import { absent } from './not-here.ts';
import { podLog } from './pod-log.ts';
import { scale } from './scale.ts';
import type { Subresource } from './subresource.ts';

/** By collection. */
const table: Readonly<Record<string, readonly Subresource[]>> = {
  pods: [binding, eviction, podLog, ...absent],
  'deployments.apps': [scale],
  'replicasets.apps': [scale],
  'statefulsets.apps': [scale],
};

export function subresourcesOf({ collection }: Resource): readonly Subresource[] {
  return table[collection] ?? [];
}

export function findSubresource(resource: Resource, name: string): Subresource | undefined {
  return subresourcesOf(resource).find((it) => it.name === name);
}
