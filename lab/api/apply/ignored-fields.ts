import type { Resource } from '../resource.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';

const serverFields = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
];

/** Fields that nobody owns through this path: the server's own, and what the path does not write. */
export function ignoredFields(resource: Resource, subresource: string): FieldSet {
  const builder = new FieldSetBuilder();
  builder.insert(['f:apiVersion']);
  builder.insert(['f:kind']);
  for (const field of serverFields) builder.insert(['f:metadata', `f:${field}`]);
  if (resource.hasStatus && subresource === '') builder.insert(['f:status']);
  if (subresource === 'status') {
    for (const path of resource.strategy.statusIgnores ?? [['f:spec']]) builder.insert(path);
  }
  return builder.build();
}
