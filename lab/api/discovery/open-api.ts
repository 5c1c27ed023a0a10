/** `/openapi/v3`: the index of groups, and for each the shape of its kinds, as far as tools look at it. */

import { type ApiResponse, jsonResponse } from '../api-request.ts';
import type { JsonObject } from '../json.ts';
import type { Resource } from '../resource.ts';
import type { Core } from '../rest/core.ts';
import { describeSchemas, kindOf } from './open-api-schemas.ts';

export function answerOpenApi(core: Core, parts: readonly string[]): ApiResponse | undefined {
  const [root, version, ...rest] = parts;
  if (root !== 'openapi' || version !== 'v3') return undefined;
  if (rest.length === 0) return jsonResponse(200, index(core));
  const resources = core.registry.all().filter((resource) => pathOf(resource) === rest.join('/'));
  return resources.length === 0 ? undefined : jsonResponse(200, document(resources));
}

function pathOf({ group, version }: Resource): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function index(core: Core): JsonObject {
  const paths = [...new Set(core.registry.all().map(pathOf))].map((path) => [
    path,
    { serverRelativeURL: `/openapi/v3/${path}` },
  ]);
  return { paths: Object.fromEntries(paths) };
}

function document(resources: readonly Resource[]): JsonObject {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths: Object.fromEntries(resources.map(describePath)),
    components: { schemas: describeSchemas(resources) },
  };
}

/** kubectl reads off here what it may ask for: that fields are validated, and which kind a path shows. */
function describePath(resource: Resource): [string, JsonObject] {
  const { isNamespaced, plural } = resource;
  const place = isNamespaced ? 'namespaces/{namespace}/' : '';
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map((name) => ({
    name,
    in: 'query',
    schema: { type: 'string' },
  }));
  const kind = { 'x-kubernetes-group-version-kind': kindOf(resource) };
  return [
    `/${pathOf(resource)}/${place}${plural}/{name}`,
    {
      get: { 'x-kubernetes-action': 'get', ...kind },
      patch: { 'x-kubernetes-action': 'patch', ...kind, parameters },
    },
  ];
}
