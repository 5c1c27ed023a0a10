/** `binding`: by which a scheduler gives a pod its node. */

import { conflict, notFound } from '../api-error.ts';
import { type ApiObject, timestamp } from '../api-object.ts';
import { jsonResponse } from '../api-request.ts';
import { cloneJson, type JsonObject, listAt, textAt } from '../json.ts';
import { type Core, commit, findStored, type Scope } from '../rest/core.ts';
import { mediaType, parseBody } from '../rest/decode-body.ts';
import type { Subresource } from './subresource.ts';

export const binding: Subresource = {
  name: 'binding',
  kind: 'Binding',
  verbs: ['create'],
  handle: ({ core }, { request, scope }) => {
    const body = parseBody(request.body, mediaType(request.headers['content-type']));
    bindPod(core, scope, textAt(body, 'target', 'name'));
    const done = { status: 'Success', code: 201 };
    return jsonResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, ...done });
  },
};

export function bindPod(core: Core, scope: Scope, node: string): void {
  const { resource, name } = scope;
  const pod = findStored(core, scope);
  if (pod === undefined) throw notFound(resource, name);
  if (textAt(pod, 'spec', 'nodeName') !== '') {
    throw conflict(
      resource,
      name,
      `pod ${name} is already assigned to node "${textAt(pod, 'spec', 'nodeName')}"`,
    );
  }
  const next = cloneJson(pod);
  next.spec = { ...next.spec, nodeName: node };
  next.status = { ...next.status, conditions: scheduled(next, timestamp(core.clock.now())) };
  commit(core, resource, next, { isDryRun: false });
}

function scheduled(pod: ApiObject, lastTransitionTime: string): JsonObject[] {
  const others = (listAt(pod, 'status', 'conditions') as JsonObject[]).filter(
    ({ type }) => type !== 'PodScheduled',
  );
  const { generation: observedGeneration } = pod.metadata;
  return [
    ...others,
    {
      type: 'PodScheduled',
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime,
    },
  ];
}
