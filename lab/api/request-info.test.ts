import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRequestInfo } from './request-info.ts';

/** `verb group/version namespace/resource/name/subresource`. */
function read(method: string, url: string): string {
  const [path = '', query = ''] = url.split('?');
  const info = readRequestInfo(method, path, new URLSearchParams(query));
  if (!info.isResource) return `${info.verb} ${info.path}`;
  const { verb, group, version, namespace, resource, name, subresource } = info;
  return `${verb} ${group}/${version} ${[namespace, resource, name, subresource].join('/')}`;
}

test('paths and methods', () => {
  const table: readonly (readonly [string, string, string])[] = [
    ['GET', '/api/v1/services', 'list /v1 /services//'],
    ['GET', '/api/v1/services?watch=true', 'watch /v1 /services//'],
    ['GET', '/api/v1/services?watch=false', 'list /v1 /services//'],
    ['GET', '/api/v1/namespaces/a/services/b', 'get /v1 a/services/b/'],
    ['GET', '/api/v1/namespaces/a/services/b?watch=1', 'get /v1 a/services/b/'],
    ['PATCH', '/api/v1/namespaces/a/services/b/status', 'patch /v1 a/services/b/status'],
    [
      'POST',
      '/apis/purelb.io/v2/namespaces/a/servicegroups',
      'create purelb.io/v2 a/servicegroups//',
    ],
    ['DELETE', '/api/v1/namespaces/a/services', 'deletecollection /v1 a/services//'],
    ['DELETE', '/api/v1/nodes/n1', 'delete /v1 /nodes/n1/'],
    ['GET', '/api/v1/namespaces', 'list /v1 /namespaces//'],
    ['GET', '/api/v1/namespaces/a', 'get /v1 a/namespaces/a/'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update /v1 a/namespaces/a/finalize'],
    ['GET', '/apis/apps/v1', 'get /apis/apps/v1'],
    ['GET', '/version', 'get /version'],
  ];
  for (const [method, url, expected] of table) assert.equal(read(method, url), expected, url);
});
