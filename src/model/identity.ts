/** Who an object is: its metadata, as far as anyone here reads it. */

import type { Cursor } from './cursor.ts';
import { parseTimestamp } from './timestamp.ts';

/** A map and not an object: a label may be called `constructor`. */
export type Labels = ReadonlyMap<string, string>;

export interface Identity {
  /** Empty for objects that live in no namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** Epoch ms; 0 where the object does not say. */
  readonly createdAt: number;
  readonly isDeleting: boolean;
}

export function readIdentity(metadata: Cursor): Identity {
  const at = metadata
    .required()
    .fields(
      'namespace',
      'name',
      'uid',
      'resourceVersion',
      'generation',
      'creationTimestamp',
      'deletionTimestamp',
    );
  const name = at.name.required().string() ?? '';
  if (name === '' && at.name.isPresent) at.name.refuse('is empty');
  return {
    namespace: at.namespace.string() ?? '',
    name,
    uid: at.uid.string() ?? '',
    resourceVersion: at.resourceVersion.string() ?? '',
    generation: at.generation.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0,
    createdAt: at.creationTimestamp.parse(parseTimestamp) ?? 0,
    isDeleting: at.deletionTimestamp.isPresent,
  };
}

/** `namespace/name`: how Services are called in logs, events, metrics and with IPAMs. */
export function keyOf({ namespace, name }: Pick<Identity, 'namespace' | 'name'>): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Labels or annotations: text by name. */
export function readTexts(cursor: Cursor): Labels {
  return new Map(cursor.entries().map(([name, value]) => [name, value.string() ?? '']));
}
