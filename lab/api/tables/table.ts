/** Objects as a Table: what a client gets that asks for `as=Table`, as kubectl does to print them. */

import { badRequest } from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import type { JsonObject } from '../json.ts';
import type { Resource } from '../resource.ts';
import { encodeObject } from '../rest/encode.ts';
import { builtInLayouts } from './built-in-layouts.ts';
import type { Layout } from './column.ts';
import { layoutOfColumns } from './custom-layout.ts';
import { defaultLayout } from './plain-rows.ts';

/** How much of each object stands beside its cells. */
export type IncludedObject = 'None' | 'Metadata' | 'Object';

export interface TableWish {
  readonly included: IncludedObject;
  readonly now: () => number;
}

/** Undefined when the client wants objects. Of several media types the first that is known counts. */
export function readTableWish(
  accept: string | undefined,
  query: URLSearchParams,
  now: () => number,
): TableWish | undefined {
  const [first] = (accept ?? '').split(',').filter(isKnown);
  if (first === undefined || !/;\s*as=Table\b/.test(first)) return undefined;
  const included = query.get('includeObject') ?? '';
  return { included: readIncluded(included), now };
}

function isKnown(type: string): boolean {
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim());
  if (media !== 'application/json' && media !== '*/*') return false;
  const shape = new Map(parameters.map((part) => part.split('=', 2) as [string, string]));
  if (!shape.has('as')) return true;
  const isTable = shape.get('as') === 'Table' && shape.get('g') === 'meta.k8s.io';
  return isTable && shape.get('v') === 'v1';
}

function readIncluded(text: string): IncludedObject {
  if (text === '' || text === 'Metadata') return 'Metadata';
  if (text === 'None' || text === 'Object') return text;
  throw badRequest(
    `unrecognized includeObject value ${JSON.stringify(text)}: must be None, Metadata or Object`,
  );
}

function layoutOf({ collection, printerColumns }: Resource): Layout {
  if (printerColumns !== undefined) return layoutOfColumns(printerColumns);
  return builtInLayouts[collection] ?? defaultLayout;
}

interface TableParts {
  readonly metadata: JsonObject;
  readonly objects: readonly ApiObject[];
  /** In a watch only the first event has it. */
  readonly hasHeader: boolean;
}

export function renderTable(
  resource: Resource,
  wish: TableWish,
  { metadata, objects, hasHeader }: TableParts,
): string {
  const { columns, cells } = layoutOf(resource);
  const now = wish.now();
  const rows = objects.map((object) => {
    const shown = JSON.stringify(cells(asShown(resource, object), now));
    return `{"cells":${shown}${includedPart(object, wish.included)}}`;
  });
  const header = hasHeader ? JSON.stringify(columns) : 'null';
  const head = `"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(metadata)}`;
  return `{${head},"columnDefinitions":${header},"rows":[${rows.join(',')}]}`;
}

/** Cells are read off the form in which the kind is stored. */
function asShown({ strategy, isCustom }: Resource, object: ApiObject): ApiObject {
  return isCustom ? object : (strategy.toStorage?.(object) ?? object);
}

function includedPart(object: ApiObject, included: IncludedObject): string {
  if (included === 'None') return ',"object":null';
  if (included === 'Object') return `,"object":${encodeObject(object)}`;
  const { metadata } = object;
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  return `,"object":${JSON.stringify(partial)}`;
}
