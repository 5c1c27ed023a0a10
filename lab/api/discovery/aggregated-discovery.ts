/** All groups with all their resources in one answer, for clients that ask for it: kubectl does so first. */

import { type ApiResponse, jsonResponse } from '../api-request.ts';
import type { JsonObject } from '../json.ts';
import type { Resource } from '../resource.ts';
import type { Core } from '../rest/core.ts';
import { subresourcesOf } from '../subresources/subresources.ts';
import { groupsOf, versionsOf } from './groups.ts';

const parameters = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export function wantsAggregation(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((type) => type.replaceAll(' ', ''));
  return types.some((type) => type === `application/json;${parameters}`);
}

/** Of the core group, or of all others. */
export function aggregatedDiscovery(core: Core, isCore: boolean): ApiResponse {
  const groups = isCore ? [''] : groupsOf(core);
  const body = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => describeGroup(core, group)),
  };
  return jsonResponse(200, body, { 'content-type': `application/json;${parameters}` });
}

function describeGroup(core: Core, group: string): JsonObject {
  const resources = core.registry.all().filter((resource) => resource.group === group);
  return {
    metadata: group === '' ? {} : { name: group },
    versions: versionsOf(core, group).map((version) => ({
      version,
      resources: resources.filter((it) => it.version === version).map(describeResource),
      freshness: 'Current',
    })),
  };
}

function describeResource(resource: Resource): JsonObject {
  const { plural, singular, isNamespaced, shortNames, categories, verbs } = resource;
  const subresources = describeSubresources(resource);
  return {
    resource: plural,
    responseKind: kindOf(resource),
    scope: isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...verbs],
    ...(shortNames === undefined ? {} : { shortNames: [...shortNames] }),
    ...(categories === undefined ? {} : { categories: [...categories] }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

function describeSubresources(resource: Resource): JsonObject[] {
  const status = {
    subresource: 'status',
    responseKind: kindOf(resource),
    verbs: ['get', 'patch', 'update'],
  };
  const others = subresourcesOf(resource).map((it) => ({
    subresource: it.name,
    responseKind: { group: it.group ?? '', version: it.version ?? '', kind: it.kind },
    verbs: [...it.verbs],
  }));
  return [...(resource.hasStatus ? [status] : []), ...others];
}

/** Built-in kinds are told without the group and version that they stand under. */
function kindOf({ group, version, kind, isCustom }: Resource): JsonObject {
  return isCustom ? { group, version, kind } : { group: '', version: '', kind };
}
