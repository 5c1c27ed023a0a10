import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { inProcess } from '../api.fixture.ts';
import { type JsonObject, listAt, textAt, valueAt } from '../json.ts';

const directory = new URL('../../../deploy/crds/', import.meta.url).pathname;
const definitions = globSync('*.yaml', { cwd: directory })
  .sort()
  .map((file) => parse(readFileSync(directory + file, 'utf8')) as JsonObject);

function withCrds() {
  const server = inProcess();
  for (const definition of definitions) {
    const url = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const { status, body } = server.post(url, definition);
    assert.equal(status, 201, textAt(body, 'message'));
  }
  return server;
}

function group(version: string, spec: JsonObject): JsonObject {
  const apiVersion = `purelb.io/${version}`;
  return { apiVersion, kind: 'ServiceGroup', metadata: { name: 'a' }, spec };
}

const groups = '/apis/purelb.io/v2/namespaces/default/servicegroups';

test('the definitions that we deploy are served', () => {
  assert.ok(definitions.length > 0);
  const { get } = withCrds();
  for (const definition of definitions) {
    const name = textAt(definition, 'spec', 'names', 'plural');
    for (const version of listAt(definition, 'spec', 'versions')) {
      const place = `${textAt(definition, 'spec', 'group')}/${textAt(version, 'name')}`;
      assert.equal(get(`/apis/${place}/${name}`).status, 200, `${place} ${name}`);
    }
  }
});

test('their rules judge pools', () => {
  const { post } = withCrds();
  const complain = (pool: JsonObject) => {
    const v4pools = [{ subnet: '192.0.2.0/24', ...pool }];
    const { body } = post(`${groups}?dryRun=All`, group('v2', { local: { v4pools } }));
    return listAt(body, 'details', 'causes').map((cause) => textAt(cause, 'field'));
  };
  const field = 'spec.local.v4pools[0]';
  assert.deepEqual(complain({ pool: '192.0.2.10-192.0.2.20' }), []);
  assert.deepEqual(complain({ pool: '192.0.2.20-192.0.2.10' }), [`${field}.pool`]);
  assert.deepEqual(complain({ pool: '198.51.100.1-198.51.100.9' }), [`${field}.pool`]);
  assert.deepEqual(complain({ pool: '192.0.2.10-192.0.2.20', subnet: '2001:db8::/64' }).sort(), [
    `${field}.pool`,
    `${field}.subnet`,
  ]);
});

test('an object keeps the default of the version in which it was written', () => {
  const { post, get } = withCrds();
  const v4pools = [{ subnet: '192.0.2.0/24', pool: '192.0.2.0/28' }];
  const announce = (version: string) => {
    const path = groups.replace('v2', version);
    const object = { ...group(version, { local: { v4pools } }), metadata: { name: version } };
    assert.equal(post(path, object).status, 201);
    return valueAt(get(`${groups}/${version}`).body, 'spec', 'announce');
  };
  assert.equal(announce('v1'), 'auto');
  assert.equal(announce('v2'), 'local');
});
