import type { KubeObject } from '../../src/model/kube-object.ts';
import type { Answer, ApiRequest } from './api-client.ts';

/** Whoever takes requests: a client, or the control plane as its administrator. */
export type Send = (request: ApiRequest) => Promise<Answer>;

/** Creates an object, with its status where it has one: an API server takes that only in a second request. */
export async function createObject(send: Send, object: KubeObject): Promise<KubeObject> {
  const path = collectionPath(object);
  const created = await accepted(send, { method: 'POST', path, body: object });
  return object.status === undefined ? created : writeStatus(send, object);
}

/** Replaces the parts of the status that the object gives, and leaves the others. */
export async function writeStatus(send: Send, object: KubeObject): Promise<KubeObject> {
  const path = `${collectionPath(object)}/${object.metadata.name}/status`;
  return accepted(send, { method: 'PATCH', path, body: { status: object.status } });
}

export async function deleteObject(send: Send, object: KubeObject): Promise<KubeObject> {
  const path = `${collectionPath(object)}/${object.metadata.name}`;
  return accepted(send, { method: 'DELETE', path });
}

async function accepted(send: Send, request: ApiRequest): Promise<KubeObject> {
  const { status, body } = await send(request);
  if (status >= 200 && status < 300) return body as KubeObject;
  throw new Error(`${request.method} ${request.path}: ${status} ${messageOf(body)}`);
}

function messageOf(body: unknown): string {
  const isStatus = typeof body === 'object' && body !== null && 'message' in body;
  return isStatus ? String(body.message) : JSON.stringify(body);
}

/** Where objects of this kind are: `/apis/discovery.k8s.io/v1/namespaces/default/endpointslices`. */
export function collectionPath({ apiVersion = 'v1', kind = '', metadata }: KubeObject): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${root}${scope}/${plural(kind.toLowerCase())}`;
}

/** The API names its collections by the rules of English. */
function plural(kind: string): string {
  if (kind.endsWith('s')) return `${kind}es`;
  return kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}
