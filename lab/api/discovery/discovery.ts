/** What clients ask before they ask for objects: versions, groups, resources, health. */

import { type ApiResponse, jsonResponse, textResponse } from '../api-request.ts';
import type { JsonObject } from '../json.ts';
import { apiVersionOf, type Resource } from '../resource.ts';
import type { Core } from '../rest/core.ts';
import type { Subresource } from '../subresources/subresource.ts';
import { subresourcesOf } from '../subresources/subresources.ts';
import { aggregatedDiscovery, wantsAggregation } from './aggregated-discovery.ts';
import { groupsOf, versionsOf } from './groups.ts';
import { answerOpenApi } from './open-api.ts';

const health = new Set(['/healthz', '/livez', '/readyz']);

export function answerDiscovery(
  core: Core,
  path: string,
  accept: string | undefined,
): ApiResponse | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const clean = `/${parts.join('/')}`;
  if (health.has(clean)) return textResponse(200, 'ok');
  if (clean === '/version') return jsonResponse(200, version);
  const isRoot = clean === '/api' || clean === '/apis';
  if (isRoot && wantsAggregation(accept)) return aggregatedDiscovery(core, clean === '/api');
  if (clean === '/api') return jsonResponse(200, coreVersions());
  if (clean === '/apis') return jsonResponse(200, groupList(core));
  return answerOpenApi(core, parts) ?? answerGroup(core, parts);
}

function answerGroup(core: Core, [root, ...rest]: readonly string[]): ApiResponse | undefined {
  const [first = '', second = ''] = rest;
  if (root === 'api' && rest.length === 1) return resourceList(core, '', first);
  if (root === 'apis' && rest.length === 1) return oneGroup(core, first);
  if (root === 'apis' && rest.length === 2) return resourceList(core, first, second);
  return undefined;
}

const version = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

function coreVersions(): JsonObject {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

function groupList(core: Core): JsonObject {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groupsOf(core).map((group) => describeGroup(core, group)),
  };
}

function describeGroup(core: Core, group: string): JsonObject {
  const versions = versionsOf(core, group).map((name) => ({
    groupVersion: `${group}/${name}`,
    version: name,
  }));
  return { name: group, versions, preferredVersion: versions[0] ?? {} };
}

function oneGroup(core: Core, group: string): ApiResponse | undefined {
  if (versionsOf(core, group).length === 0) return undefined;
  return jsonResponse(200, { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(core, group) });
}

function resourceList(core: Core, group: string, name: string): ApiResponse | undefined {
  if (!core.registry.hasGroupVersion(group, name)) return undefined;
  const resources = core.registry
    .all()
    .filter((resource) => resource.group === group && resource.version === name)
    .flatMap(describeResource);
  return jsonResponse(200, {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version: name }),
    resources,
  });
}

function describeResource(resource: Resource): readonly JsonObject[] {
  const { plural, singular, isNamespaced, kind, shortNames, categories } = resource;
  const base = { namespaced: isNamespaced, kind };
  const main: JsonObject = {
    name: plural,
    singularName: singular,
    ...base,
    verbs: [...resource.verbs],
    ...(shortNames === undefined ? {} : { shortNames: [...shortNames] }),
    ...(categories === undefined ? {} : { categories: [...categories] }),
  };
  const verbs = ['get', 'patch', 'update'];
  const status = { name: `${plural}/status`, singularName: '', ...base, verbs };
  return [
    main,
    ...(resource.hasStatus ? [status] : []),
    ...subresourcesOf(resource).map((it) => describeSubresource(resource, it)),
  ];
}

function describeSubresource(
  { plural, isNamespaced }: Resource,
  { name, kind, group, version, verbs }: Subresource,
): JsonObject {
  return {
    name: `${plural}/${name}`,
    singularName: '',
    namespaced: isNamespaced,
    ...(group === undefined ? {} : { group }),
    ...(version === undefined ? {} : { version }),
    kind,
    verbs: [...verbs],
  };
}
