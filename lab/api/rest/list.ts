import { badRequest, expired, tooLargeRevision } from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import { isJsonObject, type Json } from '../json.ts';
import { apiVersionOf, type Resource } from '../resource.ts';
import { renderTable, type TableWish } from '../tables/table.ts';
import { type Core, type Scope, viewOf } from './core.ts';
import { encodeItem, encodeObject } from './encode.ts';
import { type ListOptions, parseRevision, readListOptions } from './list-options.ts';
import { type ObjectFilter, readFilter } from './object-filter.ts';

/** Where a list begins and which state it shows. */
interface Position {
  readonly revision: number;
  readonly after: string;
  readonly limit: number;
}

/** The text of the list object, or of a table of the same objects. */
export function listObjects(
  core: Core,
  scope: Scope,
  query: URLSearchParams,
  table?: TableWish,
): string {
  const options = readListOptions(query, false);
  const filter = readFilter(scope, query);
  const position = positionOf(core, options);
  const page = readPage(core, scope.resource, filter, position);
  return renderList(scope.resource, position, page, table);
}

interface Page {
  readonly objects: readonly ApiObject[];
  /** Key of the last object shown, when more follow. */
  readonly last: string | undefined;
  /** How many follow; not counted when a selector hides some. */
  readonly remaining: number | undefined;
}

export function readPage(
  core: Core,
  resource: Resource,
  { prefix, matches, hasSelector }: ObjectFilter,
  { revision, after, limit }: Position,
): Page {
  const isCurrent = revision >= core.store.revision;
  const entries = core.store
    .collection(resource.collection)
    .entries({ prefix, after, revision: isCurrent ? Infinity : revision });
  const objects: ApiObject[] = [];
  let last = '';
  for (const [key, stored] of entries) {
    if (limit > 0 && objects.length === limit) {
      const remaining = hasSelector ? undefined : 1 + [...entries].length;
      return { objects, last, remaining };
    }
    const object = viewOf(resource, stored);
    if (!matches(object)) continue;
    objects.push(object);
    last = key;
  }
  return { objects, last: undefined, remaining: undefined };
}

function positionOf(core: Core, options: ListOptions): Position {
  const { resourceVersion, match, limit } = options;
  if (options.continueFrom !== '') return continuePosition(core, options);
  // From the cache the whole list comes at once, whatever the limit.
  const current = { revision: core.store.revision, after: '', limit };
  if (resourceVersion === '') return current;
  if (resourceVersion === '0') return { ...current, limit: 0 };
  const revision = parseRevision(resourceVersion);
  if (revision > core.store.revision) throw tooLargeRevision(revision, core.store.revision);
  if (match === 'NotOlderThan' || (match === '' && limit === 0)) return { ...current, limit: 0 };
  if (revision < core.store.compacted) {
    throw expired('The resourceVersion for the provided list is too old.');
  }
  return { revision, after: '', limit };
}

function continuePosition(core: Core, { continueFrom, resourceVersion, limit }: ListOptions) {
  if (resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const { revision, after } = readToken(continueFrom);
  if (revision < 0) return { revision: core.store.revision, after, limit };
  if (revision < core.store.compacted) {
    throw expired(continueTooOld, { continue: writeToken(-1, after) });
  }
  return { revision, after, limit };
}

const continueTooOld =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

function writeToken(revision: number, last: string): string {
  const token = { v: 'meta.k8s.io/v1', rv: revision, start: `${last}\u0000` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function readToken(text: string): { revision: number; after: string } {
  let token: Json = null;
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString()) as Json;
  } catch {
    // Told below, as everything else that is no token.
  }
  const { v, rv, start } = isJsonObject(token) ? token : {};
  if (v !== 'meta.k8s.io/v1' || typeof rv !== 'number' || typeof start !== 'string') {
    throw badRequest('invalid continue token: continue key is not valid');
  }
  return { revision: rv, after: start.slice(0, -1) };
}

function renderList(
  resource: Resource,
  { revision }: Position,
  page: Page,
  table: TableWish | undefined,
): string {
  const metadata = {
    resourceVersion: String(revision),
    ...(resource.isCustom ? { continue: '' } : {}),
    ...(page.last === undefined ? {} : { continue: writeToken(revision, page.last) }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  if (table !== undefined) {
    return renderTable(resource, table, { metadata, objects: page.objects, hasHeader: true });
  }
  const head = `"kind":"${resource.kind}List","apiVersion":"${apiVersionOf(resource)}"`;
  const encode = resource.isCustom ? encodeObject : encodeItem;
  return `{${head},"metadata":${JSON.stringify(metadata)},"items":[${page.objects.map(encode).join(',')}]}`;
}
