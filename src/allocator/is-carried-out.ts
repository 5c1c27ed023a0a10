import type { KubeObject } from '../model/kube-object.ts';
import type { ServiceWrite } from './service-writer.ts';

/** Whether the Service is already as the write would make it: then the write changed nothing any more. */
export function isCarriedOut(found: KubeObject, { object, body }: ServiceWrite): boolean {
  const { resourceVersion: _, ...metadata } = { resourceVersion: '', ...body.metadata };
  return found.metadata.uid === object.metadata.uid && hasAll(found, { ...body, metadata });
}

/** By the rules of a merge patch (RFC 7396): null is absence, a list is the whole list. */
function hasAll(value: unknown, patch: unknown): boolean {
  if (patch === null) return value === undefined || value === null;
  if (Array.isArray(patch)) return hasSameItems(value, patch);
  if (typeof patch !== 'object') return value === patch;
  const fields = typeof value === 'object' && value !== null ? value : {};
  return Object.entries(patch).every(([name, wanted]) =>
    hasAll((fields as Readonly<Record<string, unknown>>)[name], wanted),
  );
}

function hasSameItems(value: unknown, items: readonly unknown[]): boolean {
  if (!Array.isArray(value)) return items.length === 0 && value === undefined;
  return value.length === items.length && items.every((item, index) => hasAll(value[index], item));
}
