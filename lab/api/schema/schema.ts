/** The shape of objects: one model for built-in kinds and for custom resources. */

import type { Json } from '../json.ts';
import type { Constraints } from './constraints.ts';

export type SchemaType =
  | 'object'
  | 'list'
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'int-or-string'
  | 'quantity'
  | 'time'
  | 'micro-time'
  | 'bytes'
  | 'any';

export interface Schema {
  readonly type: SchemaType;
  /** Of a built-in struct, for messages. */
  readonly name?: string;
  /** `int32` or `int64` of integers; a custom resource's `format` otherwise. */
  readonly format?: string;
  readonly fields?: ReadonlyMap<string, Field>;
  /** Of a map: what each key leads to. */
  readonly values?: Schema;
  readonly items?: Schema;
  /** How server-side apply owns the list: whole, or by item. Whole when not said. */
  readonly listType?: ListType;
  readonly listKeys?: readonly string[];
  /** Server-side apply owns the object or map as a whole. */
  readonly isAtomic?: boolean;
  readonly keepsUnknown?: boolean;
  /** A whole Kubernetes object sits here: its apiVersion, kind and metadata are kept. */
  readonly isEmbedded?: boolean;
  readonly isNullable?: boolean;
  readonly default?: Json;
  readonly constraints?: Constraints;
}

export type ListType = 'atomic' | 'set' | 'map';

export interface Field {
  readonly schema: Schema;
  /** When a Go program prints it: always, unless it is the zero value, or as a pointer. Absent for custom resources. */
  readonly presence?: Presence;
  /** Strategic merge patch: lists merge by this field, or as sets when it is the empty string. */
  readonly mergeKey?: string;
  readonly retainsKeys?: boolean;
  readonly default?: Json;
}

export type Presence = 'always' | 'unless-zero' | 'pointer' | 'pointer-always';
