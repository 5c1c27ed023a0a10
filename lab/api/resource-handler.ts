/** Requests for objects: from verb and path to an answer. */

import type { Admit } from './admission/admission.ts';
import { ApiError, detailsOf, methodNotAllowed, notFound, tooLargeRevision } from './api-error.ts';
import type { ApiObject } from './api-object.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from './api-request.ts';
import { applyObject } from './apply/apply-object.ts';
import type { JsonObject } from './json.ts';
import { apiVersionOf, type Verb } from './resource.ts';
import { type Core, findStored, type Scope, viewOf, type WriteOptions } from './rest/core.ts';
import { createObject } from './rest/create.ts';
import { mediaType, parseBody } from './rest/decode-body.ts';
import { encodeItem, encodeObject } from './rest/encode.ts';
import { listObjects } from './rest/list.ts';
import { parseRevision } from './rest/list-options.ts';
import { applyPatchType, patchObject } from './rest/patch.ts';
import { readDeleteOptions, removeCollection, removeObject } from './rest/remove.ts';
import { replaceObject } from './rest/update.ts';
import { watchObjects } from './rest/watch.ts';
import { readTableWish, renderTable, type TableWish } from './tables/table.ts';
import { readWriteOptions } from './write-options.ts';

export interface ResourceRequest {
  readonly request: ApiRequest;
  readonly scope: Scope;
  readonly verb: string;
  readonly query: URLSearchParams;
  readonly user: string;
  readonly admit: Admit;
}

type Handler = (core: Core, request: ResourceRequest) => ApiResponse;

const handlers: Readonly<Record<Verb, Handler>> = {
  get: getObject,
  list: (core, call) =>
    jsonResponse(200, listObjects(core, call.scope, call.query, tableWish(core, call))),
  watch: (core, call) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: watchObjects(core, call.scope, call.query, tableWish(core, call)),
  }),
  create: postObject,
  update: putObject,
  patch: patchAny,
  delete: deleteObject,
  deletecollection: deleteMany,
};

export function handleResource(core: Core, request: ResourceRequest): ApiResponse {
  const { scope, verb } = request;
  const handler = handlers[verb as Verb];
  const isKnown = handler !== undefined && scope.resource.verbs.includes(verb as Verb);
  if (!isKnown || !fitsPath(scope, verb)) throw methodNotAllowed();
  return handler(core, request);
}

/** A new object is posted to the collection, everything else about one object goes to its name. */
function fitsPath({ resource, namespace, name, subresource }: Scope, verb: string): boolean {
  if (verb === 'create') return name === '' && (namespace !== '' || !resource.isNamespaced);
  if (verb === 'update' || verb === 'patch') return name !== '';
  return subresource === '' || verb === 'get';
}

function tableWish(core: Core, { request, query }: ResourceRequest): TableWish | undefined {
  return readTableWish(request.headers['accept'], query, () => core.clock.now());
}

function getObject(core: Core, call: ResourceRequest): ApiResponse {
  const { scope, query } = call;
  const version = query.get('resourceVersion') ?? '';
  const { store } = core;
  if (version !== '' && parseRevision(version) > store.revision) {
    throw tooLargeRevision(Number(version), store.revision);
  }
  const stored = findStored(core, scope);
  if (stored === undefined) throw notFound(scope.resource, scope.name);
  const object = viewOf(scope.resource, stored);
  const table = tableWish(core, call);
  if (table === undefined) return jsonResponse(200, encodeObject(object));
  const metadata = { resourceVersion: object.metadata.resourceVersion ?? '' };
  const parts = { metadata, objects: [object], hasHeader: true };
  return jsonResponse(200, renderTable(scope.resource, table, parts));
}

function postObject(core: Core, call: ResourceRequest): ApiResponse {
  const options = optionsOf(call);
  const object = createObject(core, call.scope, bodyOf(call), options);
  return objectResponse(201, object, options);
}

function putObject(core: Core, call: ResourceRequest): ApiResponse {
  const options = optionsOf(call);
  const { object, isNew } = replaceObject(core, call.scope, bodyOf(call), options);
  return objectResponse(isNew ? 201 : 200, object, options);
}

function patchAny(core: Core, call: ResourceRequest): ApiResponse {
  const options = optionsOf(call);
  const { request, scope } = call;
  const type = mediaType(request.headers['content-type']);
  if (type === applyPatchType) {
    const { object, isNew } = applyObject(core, scope, request.body, options);
    return objectResponse(isNew ? 201 : 200, object, options);
  }
  return objectResponse(
    200,
    patchObject(core, scope, { text: request.body, type }, options),
    options,
  );
}

function deleteObject(core: Core, call: ResourceRequest): ApiResponse {
  const { scope, query } = call;
  const { object, isGone } = removeObject(core, scope, deleteOptionsOf(call, query));
  if (!isGone || scope.resource.returnsDeleted) return jsonResponse(200, encodeObject(object));
  const details = { ...detailsOf(scope.resource, scope.name), uid: object.metadata.uid ?? '' };
  return jsonResponse(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details,
  });
}

function deleteMany(core: Core, call: ResourceRequest): ApiResponse {
  const { scope, query } = call;
  const objects = removeCollection(core, scope, query, deleteOptionsOf(call, query));
  const { kind, isCustom } = scope.resource;
  const items = objects.map(isCustom ? encodeObject : encodeItem).join(',');
  const metadata = JSON.stringify({ resourceVersion: String(core.store.revision) });
  const head = `"kind":"${kind}List","apiVersion":"${apiVersionOf(scope.resource)}"`;
  return jsonResponse(200, `{${head},"metadata":${metadata},"items":[${items}]}`);
}

function deleteOptionsOf({ request, admit }: ResourceRequest, query: URLSearchParams) {
  const { body, headers } = request;
  const parsed = body.trim() === '' ? {} : parseBody(body, mediaType(headers['content-type']));
  return { ...readDeleteOptions(query, parsed), admit };
}

function optionsOf({ request, query, user, admit }: ResourceRequest): WriteOptions {
  return { ...readWriteOptions(request, query, user), admit };
}

function bodyOf({ request }: ResourceRequest): JsonObject {
  return parseBody(request.body, mediaType(request.headers['content-type']));
}

function objectResponse(
  status: number,
  object: ApiObject,
  { warnings }: WriteOptions,
): ApiResponse {
  const headers = warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ');
  return jsonResponse(status, encodeObject(object), headers === '' ? {} : { warning: headers });
}

export function errorResponse(error: unknown): ApiResponse {
  if (error instanceof ApiError) return jsonResponse(error.code, error.status, error.headers);
  throw error;
}
