/** Questions about oneself that are asked by creating an object: what may I do, who am I, give me a token. */

import { notFound } from '../api-error.ts';
import { timestamp } from '../api-object.ts';
import { type ApiResponse, jsonResponse } from '../api-request.ts';
import { cloneJson, type JsonObject, objectAt, textAt } from '../json.ts';
import type { RequestInfo } from '../request-info.ts';
import type { Core } from '../rest/core.ts';
import type { Attributes } from './attributes.ts';
import { type Authenticator, describeExtra, type Extra, type User } from './authenticator.ts';
import type { Verdict } from './rbac.ts';

export interface ReviewContext {
  readonly core: Core;
  readonly authenticator: Authenticator;
  readonly judge: (user: User, attributes: Attributes) => Verdict;
  readonly rules: (user: User, namespace: string) => readonly JsonObject[];
}

/** Undefined when the request asks nothing of the kind. */
export function answerReview(
  context: ReviewContext,
  info: RequestInfo,
  user: User,
  body: () => JsonObject,
): ApiResponse | undefined {
  if (info.verb !== 'create' || info.version !== 'v1') return undefined;
  const { group, resource, subresource } = info;
  const what = `${group}/${resource}${subresource === '' ? '' : `/${subresource}`}`;
  if (what === 'authorization.k8s.io/selfsubjectaccessreviews') {
    return reviewAccess(context, user, body());
  }
  if (what === 'authorization.k8s.io/selfsubjectrulesreviews') {
    return reviewRules(context, user, body());
  }
  if (what === 'authentication.k8s.io/selfsubjectreviews') return reviewSelf(context, user);
  return what === '/serviceaccounts/token' ? requestToken(context, info, body()) : undefined;
}

function reviewAccess(context: ReviewContext, user: User, body: JsonObject): ApiResponse {
  const wish = objectAt(body, 'spec', 'resourceAttributes');
  const path = textAt(body, 'spec', 'nonResourceAttributes', 'path');
  const verb = textAt(wish, 'verb') || textAt(body, 'spec', 'nonResourceAttributes', 'verb');
  const part = textAt(wish, 'subresource');
  const attributes: Attributes =
    path !== ''
      ? { verb, path }
      : {
          verb,
          group: textAt(wish, 'group'),
          resource: textAt(wish, 'resource') + (part === '' ? '' : `/${part}`),
          namespace: textAt(wish, 'namespace'),
          name: textAt(wish, 'name'),
        };
  const { isAllowed } = context.judge(user, attributes);
  return jsonResponse(201, {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: objectAt(body, 'spec'),
    status: { allowed: isAllowed },
  });
}

function reviewRules({ rules }: ReviewContext, user: User, body: JsonObject): ApiResponse {
  const found = rules(user, textAt(body, 'spec', 'namespace')).map((rule) => cloneJson(rule));
  return jsonResponse(201, {
    kind: 'SelfSubjectRulesReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec: {},
    status: {
      resourceRules: found.filter((rule) => rule['nonResourceURLs'] === undefined),
      nonResourceRules: found.filter((rule) => rule['nonResourceURLs'] !== undefined),
      incomplete: false,
    },
  });
}

function reviewSelf({ core }: ReviewContext, user: User): ApiResponse {
  const { name, groups } = user;
  const extra = describeExtra(user);
  return jsonResponse(201, {
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: timestamp(core.clock.now()) },
    status: {
      userInfo: {
        username: name,
        groups: [...groups],
        ...(Object.keys(extra).length === 0 ? {} : { extra }),
      },
    },
  });
}

/** Tokens end with the server, not before. */
function requestToken({ core, authenticator }: ReviewContext, info: RequestInfo, body: JsonObject) {
  const { namespace, name } = info;
  if (core.store.collection('serviceaccounts').get(`${namespace}/${name}`) === undefined) {
    throw notFound({ group: '', plural: 'serviceaccounts' }, name);
  }
  const bound = textAt(body, 'spec', 'boundObjectRef', 'name');
  const extra = bound === '' ? {} : podExtra(core, namespace, bound);
  const token = authenticator.issue(
    `system:serviceaccount:${namespace}:${name}`,
    [],
    undefined,
    extra,
  );
  const seconds = Number(objectAt(body, 'spec')['expirationSeconds'] ?? 3600);
  return jsonResponse(201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace },
    spec: { ...objectAt(body, 'spec'), expirationSeconds: seconds },
    status: { token, expirationTimestamp: timestamp(core.clock.now() + seconds * 1000) },
  });
}

const claims = 'authentication.kubernetes.io';

/** What a token says that is bound to a pod: which one, and where it runs. */
function podExtra(core: Core, namespace: string, name: string): Extra {
  const pod = core.store.collection('pods').get(`${namespace}/${name}`);
  if (pod === undefined) throw notFound({ group: '', plural: 'pods' }, name);
  const node = textAt(pod, 'spec', 'nodeName');
  const uid = core.store.collection('nodes').get(node)?.metadata.uid;
  return {
    [`${claims}/pod-name`]: [name],
    [`${claims}/pod-uid`]: [pod.metadata.uid ?? ''],
    ...(node === '' ? {} : { [`${claims}/node-name`]: [node] }),
    ...(uid === undefined ? {} : { [`${claims}/node-uid`]: [uid] }),
  };
}
