/** `scale`: how many replicas of a workload are wanted, without knowing what kind of workload it is. */

import { conflict, modifiedMeanwhile, notFound } from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import { jsonResponse } from '../api-request.ts';
import { invalidValue } from '../field-cause.ts';
import { cloneJson, type JsonObject, textAt, valueAt } from '../json.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import type { ResourceRequest } from '../resource-handler.ts';
import { type Core, findStored, type Scope, viewOf } from '../rest/core.ts';
import { refuseInvalid } from '../rest/create.ts';
import { expectObject, mediaType, parseBody, readJson } from '../rest/decode-body.ts';
import { replaceObject } from '../rest/update.ts';
import { formatSelector } from '../tables/format-selector.ts';
import { readWriteOptions } from '../write-options.ts';
import type { Subresource } from './subresource.ts';

export const scale: Subresource = {
  name: 'scale',
  kind: 'Scale',
  group: 'autoscaling',
  version: 'v1',
  verbs: ['get', 'patch', 'update'],
  handle: ({ core }, call) => {
    const { scope, verb } = call;
    const object = find(core, scope);
    if (verb === 'get') return jsonResponse(200, scaleOf(object));
    const written = write(core, call, object, wishOf(call, object));
    return jsonResponse(200, scaleOf(written));
  },
};

function find(core: Core, scope: Scope): ApiObject {
  const stored = findStored(core, scope);
  if (stored === undefined) throw notFound(scope.resource, scope.name);
  return viewOf(scope.resource, stored);
}

function scaleOf(object: ApiObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: valueAt(object, 'spec', 'replicas') ?? 0 },
    status: {
      replicas: valueAt(object, 'status', 'replicas') ?? 0,
      selector: formatSelector(valueAt(object, 'spec', 'selector')),
    },
  };
}

function wishOf({ request, verb }: ResourceRequest, object: ApiObject): JsonObject {
  const type = mediaType(request.headers['content-type']);
  if (verb === 'update') return parseBody(request.body, type);
  const patch = readJson(request.body);
  const before = scaleOf(object);
  return expectObject(
    type === 'application/json-patch+json'
      ? applyJsonPatch(before, patch)
      : applyMergePatch(before, patch),
  );
}

function write(core: Core, call: ResourceRequest, object: ApiObject, wish: JsonObject): ApiObject {
  const { scope, request, query, user } = call;
  const version = textAt(wish, 'metadata', 'resourceVersion');
  if (version !== '' && version !== object.metadata.resourceVersion) {
    throw conflict(scope.resource, scope.name, modifiedMeanwhile);
  }
  const replicas = Number(valueAt(wish, 'spec', 'replicas') ?? 0);
  if (replicas < 0) {
    const detail = 'must be greater than or equal to 0';
    refuseInvalid(scope.resource, object, [invalidValue('spec.replicas', replicas, detail)]);
  }
  const next = cloneJson(object);
  next.spec = { ...next.spec, replicas };
  const options = readWriteOptions(request, query, user);
  return replaceObject(core, { ...scope, subresource: '' }, next, options).object;
}
