import type { KubeObject } from '../model/kube-object.ts';
import { type ApiConnection, call, callPatiently, parseAnswer } from './api-call.ts';
import { ApiError, isGone } from './api-error.ts';
import type { ListOptions, ListPage, Projection } from './cluster.ts';
import { dropManagedFields } from './parse-json.ts';
import { queryString } from './query-string.ts';
import { apiVersionOf, collectionPath, type Resource } from './resource.ts';

/** Small pages keep the peak of memory low: the text and the objects of one page exist at once. */
const defaultPageSize = 100;

interface ListAnswer {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubeObject[] | null;
}

/**
 * All pages of one list, of one consistent version. The version asked for stays unset: the server ignores the limit
 * when asked for version 0. When the server no longer knows a continue token, what was read is worth nothing: the
 * error goes to the caller, who starts anew, best with larger pages.
 */
export async function* listPages<T extends KubeObject>(
  connection: ApiConnection,
  resource: Resource<T>,
  options: ListOptions<T>,
): AsyncGenerator<ListPage<T>> {
  const { pageSize = defaultPageSize, project = keepWhole as Projection<T> } = options;
  const ask = options.isPatient === false ? call : callPatiently;
  const operation = `list ${resource.plural}`;
  const finish = completer(resource, project);
  let token: string | undefined;
  do {
    const { labelSelector, fieldSelector, signal, isUrgent, withinMs } = options;
    const limit = pageSize === Infinity ? undefined : pageSize;
    const query = queryString({ labelSelector, fieldSelector, limit, continue: token });
    const path = collectionPath(resource, options.namespace) + query;
    const request = { operation, method: 'GET', path, signal, isUrgent, withinMs } as const;
    const answer = parseAnswer<ListAnswer>(await ask(connection, request), operation);
    yield { items: (answer.items ?? []).map(finish), version: versionOf(answer, operation) };
    token = answer.metadata?.continue;
  } while (token !== undefined && token !== '');
}

/** Every object of a list. If the server forgot a continue token, once more from the start, in one page. */
export async function listAll<T extends KubeObject>(
  list: (pageSize: number) => AsyncIterable<ListPage<T>>,
  pageSize = defaultPageSize,
): Promise<ListPage<T>> {
  try {
    return await collect(list(pageSize));
  } catch (error) {
    if (!isGone(error) || pageSize === Infinity) throw error;
    return collect(list(Infinity));
  }
}

async function collect<T extends KubeObject>(
  pages: AsyncIterable<ListPage<T>>,
): Promise<ListPage<T>> {
  const items: T[] = [];
  let version = '';
  for await (const page of pages) {
    items.push(...page.items);
    version = page.version;
  }
  return { items, version };
}

/** The items of a list come without kind and apiVersion, those of a watch with them: here they are alike. */
function completer<T extends KubeObject>(resource: Resource, project: Projection<T>) {
  const { kind } = resource;
  const apiVersion = apiVersionOf(resource);
  return (item: KubeObject) => project(dropManagedFields({ kind, apiVersion, ...item }));
}

function versionOf({ metadata }: ListAnswer, operation: string): string {
  if (metadata?.resourceVersion !== undefined) return metadata.resourceVersion;
  const message = 'the list has no version';
  throw new ApiError({ code: 'malformed', operation, message, outcome: 'not-done' });
}

function keepWhole(object: KubeObject): KubeObject {
  return object;
}
