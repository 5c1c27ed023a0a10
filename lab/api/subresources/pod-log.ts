/** `log`: passed on to whoever runs the pods. */

import { badRequest, notFound } from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import { type ApiResponse, textResponse } from '../api-request.ts';
import { listAt, textAt } from '../json.ts';
import { isTrue } from '../request-info.ts';
import type { ResourceRequest } from '../resource-handler.ts';
import { findStored } from '../rest/core.ts';
import { notHere } from './not-here.ts';
import type { PodLogWish } from './pod-logs.ts';
import type { Subresource, SubresourceContext } from './subresource.ts';

export const podLog: Subresource = {
  name: 'log',
  kind: 'Pod',
  verbs: ['get'],
  handle: answerLog,
};

function answerLog({ core, podLogs }: SubresourceContext, call: ResourceRequest): ApiResponse {
  const { scope, query } = call;
  const pod = findStored(core, scope);
  if (pod === undefined) throw notFound(scope.resource, scope.name);
  const container = containerOf(pod, query.get('container') ?? '');
  // Nobody has it yet, so it has not said anything.
  if (textAt(pod, 'spec', 'nodeName') === '') return textResponse(200, '');
  if (podLogs === undefined) throw notHere('log');
  const body = podLogs(wishOf(pod, container, { query, now: core.clock.now() }));
  if (typeof body === 'string') throw badRequest(body);
  return { status: 200, headers: { 'content-type': 'text/plain' }, body };
}

function containerOf(pod: ApiObject, wanted: string): string {
  const { name = '' } = pod.metadata;
  const names = listAt(pod, 'spec', 'containers').map((it) => textAt(it, 'name'));
  const initial = listAt(pod, 'spec', 'initContainers').map((it) => textAt(it, 'name'));
  if (wanted === '') {
    const [only, ...others] = names;
    if (only !== undefined && others.length === 0) return only;
    const choice =
      initial.length === 0 ? '' : ` or one of the init containers: [${initial.join(' ')}]`;
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]${choice}`,
    );
  }
  if ([...names, ...initial].includes(wanted)) return wanted;
  throw badRequest(`container ${wanted} is not valid for pod ${name}`);
}

interface Asked {
  readonly query: URLSearchParams;
  readonly now: number;
}

function wishOf(pod: ApiObject, container: string, { query, now }: Asked): PodLogWish {
  const { namespace = '', name = '' } = pod.metadata;
  return {
    namespace,
    pod: name,
    container,
    node: textAt(pod, 'spec', 'nodeName'),
    isFollowed: isTrue(query.get('follow')),
    isPrevious: isTrue(query.get('previous')),
    hasTimestamps: isTrue(query.get('timestamps')),
    tailLines: readCount(query.get('tailLines')),
    since: readSince(query, now),
    limitBytes: readCount(query.get('limitBytes')),
  };
}

function readCount(text: string | null): number | undefined {
  return text === null || !/^\d+$/.test(text) ? undefined : Number(text);
}

function readSince(query: URLSearchParams, now: number): number | undefined {
  const seconds = readCount(query.get('sinceSeconds'));
  if (seconds !== undefined) return now - seconds * 1000;
  const time = Date.parse(query.get('sinceTime') ?? '');
  return Number.isNaN(time) ? undefined : time;
}
