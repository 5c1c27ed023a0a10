/** What a request is about, read off its path and method. */

export interface RequestInfo {
  readonly path: string;
  readonly verb: string;
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  /** Path segments behind the subresource, as in `pods/x/proxy/metrics`. */
  readonly rest: readonly string[];
}

const nothing = {
  isResource: false,
  group: '',
  version: '',
  namespace: '',
  resource: '',
  name: '',
  subresource: '',
  rest: [],
};

export function readRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  const target = readTarget(parts);
  if (target === undefined) return { ...nothing, path, verb: method.toLowerCase() };
  return { ...target, path, isResource: true, verb: verbOf(method, target.name, query) };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

type Target = Omit<RequestInfo, 'path' | 'verb' | 'isResource'>;

function readTarget(parts: readonly string[]): Target | undefined {
  const isCore = parts[0] === 'api';
  if (!isCore && parts[0] !== 'apis') return undefined;
  const [group = '', version = '', ...rest] = isCore ? ['', ...parts.slice(1)] : parts.slice(1);
  if (rest.length === 0) return undefined;
  return { group, version, ...readObjectPath(rest) };
}

function readObjectPath(parts: readonly string[]) {
  const isInNamespace =
    parts[0] === 'namespaces' && parts.length > 2 && !isNamespaceDetail(parts[2]);
  const own = isInNamespace ? parts.slice(2) : parts;
  const [resource = '', name = '', subresource = '', ...rest] = own;
  // A namespace counts as being inside itself.
  const owner = resource === 'namespaces' ? name : '';
  const namespace = isInNamespace ? (parts[1] ?? '') : owner;
  return { namespace, resource, name, subresource, rest };
}

function isNamespaceDetail(part: string | undefined): boolean {
  return part === 'status' || part === 'finalize';
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

function verbOf(method: string, name: string, query: URLSearchParams): string {
  if (method === 'DELETE') return name === '' ? 'deletecollection' : 'delete';
  if (method !== 'GET' && method !== 'HEAD') return verbs[method] ?? method.toLowerCase();
  if (name !== '') return 'get';
  return isTrue(query.get('watch')) ? 'watch' : 'list';
}

/** As Go reads a boolean of a query: present without a value means true. */
export function isTrue(value: string | null): boolean {
  return value !== null && !['false', '0', 'f', 'F', 'False', 'FALSE'].includes(value);
}
