/** What the server knows about one resource in one version: where it is served, its shape, and its own rules. */

import type { ApiObject } from './api-object.ts';
import type { FieldCause } from './field-cause.ts';
import type { JsonObject } from './json.ts';
import type { Identities } from './rest/identities.ts';
import type { Schema } from './schema/schema.ts';
import type { Store } from './store/store.ts';

export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Name of the collection in the store; two resources may show the same one. */
  readonly collection: string;
  readonly schema: Schema;
  readonly hasStatus: boolean;
  /** Counts changes of what its owner wants in metadata.generation. */
  readonly hasGeneration: boolean;
  readonly isCustom: boolean;
  readonly strategy: Strategy;
  /** Of a custom resource: its schema as its definition has it, for those who ask what a field means. */
  readonly openApi?: JsonObject;
  /** Of a custom resource: the columns that its definition asks for, as they stand there. */
  readonly printerColumns?: readonly JsonObject[];
  /** Dotted paths that field selectors may name, beside metadata.name and metadata.namespace. */
  readonly selectableFields?: readonly string[];
  /** A PUT without resourceVersion overwrites whatever is there. */
  readonly allowsBlindUpdate: boolean;
  /** A PUT or apply of an object that does not exist creates it. */
  readonly allowsCreateOnUpdate: boolean;
  /** DELETE answers with the object as it last was, instead of a Status. */
  readonly returnsDeleted: boolean;
  /** Written by create alone and never stored, such as an access review. */
  readonly verbs: readonly Verb[];
}

export type Verb =
  | 'create'
  | 'delete'
  | 'deletecollection'
  | 'get'
  | 'list'
  | 'patch'
  | 'update'
  | 'watch';

export interface StrategyContext {
  readonly store: Store;
  readonly now: number;
  readonly user: string;
  readonly isDryRun: boolean;
  readonly identities: Identities;
}

/** A kind's own rules. Each step may change the object in place; `old` is frozen. */
export interface Strategy {
  /** Turns what is stored into what this version shows. */
  readonly fromStorage?: (stored: ApiObject) => ApiObject;
  readonly toStorage?: (object: ApiObject) => ApiObject;
  /** Reads a request's body: checks types, drops what the kind does not have. Returns the fields dropped. */
  readonly decode?: (
    object: JsonObject,
    keepsNulls: boolean,
  ) => { value: JsonObject; unknown: readonly string[] };
  readonly setDefaults?: (object: ApiObject) => void;
  readonly prepareCreate?: (object: ApiObject, context: StrategyContext) => void;
  readonly prepareUpdate?: (object: ApiObject, old: ApiObject, context: StrategyContext) => void;
  /** For `/finalize`, where a kind has it. */
  readonly prepareFinalize?: (object: ApiObject, old: ApiObject, context: StrategyContext) => void;
  readonly prepareStatus?: (object: ApiObject, old: ApiObject, context: StrategyContext) => void;
  readonly validate?: (
    object: ApiObject,
    old: ApiObject | undefined,
    context: StrategyContext,
  ) => readonly FieldCause[];
  /** What is allowed but should be known; goes into Warning headers. */
  readonly warn?: (object: ApiObject, old: ApiObject | undefined) => readonly string[];
  readonly validateStatus?: (object: ApiObject, old: ApiObject) => readonly FieldCause[];
  /** Metadata names must look like this; RFC 1123 subdomains when not said. */
  readonly validateName?: (name: string) => readonly string[];
  /** Fields that a write of the status does not touch, as in managedFields; the spec when not said. */
  readonly statusIgnores?: readonly (readonly string[])[];
  /** The status given with a new object is taken, as of nodes. */
  readonly keepsNewStatus?: boolean;
  /** Something beside metadata.finalizers still keeps a deleted object. */
  readonly isHeld?: (object: ApiObject) => boolean;
  /** Why the object cannot be deleted at all. */
  readonly refuseDelete?: (object: ApiObject) => string | undefined;
  /** What else changes when the wish to delete is noted, such as a namespace's phase. */
  readonly markDeleted?: (object: ApiObject) => void;
  /** Seconds between the wish to delete and its end; 0 when not said. */
  readonly gracePeriodSeconds?: (object: ApiObject, requested: number | undefined) => number;
}

/** `namespace/name`, or the name alone for what belongs to no namespace. */
export function keyOf(resource: Resource, namespace: string, name: string): string {
  return resource.isNamespaced ? `${namespace}/${name}` : name;
}

export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}
