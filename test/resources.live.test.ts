import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import type { Answer } from '../lab/control-plane/api-client.ts';
import { missingBinaries } from '../lab/control-plane/binaries.ts';
import { type ControlPlane, startControlPlane } from '../lab/control-plane/control-plane.ts';
import { eventually } from '../lab/eventually.ts';
import { enterFreshNamespace } from '../lab/fresh-namespace.ts';
import { missing } from '../lab/missing.ts';
import type { KubeObject } from '../src/model/kube-object.ts';
import { type Crd, loadCrds, withDefaults } from './crd-fields.ts';
import { verdicts } from './resource-verdicts.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');
const crds = loadCrds();
let api: ControlPlane;

before(async () => {
  if (skip !== false) return;
  enterFreshNamespace();
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  api = await startControlPlane({ authorization: 'always-allow' });
  for (const { object } of crds) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const answer = await api.request({ method: 'POST', path, body: object });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
  }
  await eventually(
    async () => {
      for (const crd of crds) assert.equal((await list(crd)).status, 200);
    },
    { withinMs: 20_000 },
  );
});

after(async () => {
  await api?.stop();
});

function list({ group, versions, plural }: Crd): Promise<Answer> {
  const path = `/apis/${group}/${versions[0]?.name}/${plural}`;
  return api.request({ method: 'GET', path });
}

function crdOf({ apiVersion = '', kind }: KubeObject): Crd | undefined {
  return crds.find((crd) => crd.kind === kind && apiVersion.startsWith(`${crd.group}/`));
}

function pathOf(object: KubeObject, apiVersion = object.apiVersion ?? ''): string {
  const plural = crdOf(object)?.plural ?? 'services';
  const prefix = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${prefix}/namespaces/default/${plural}`;
}

const create = (object: KubeObject) =>
  api.request({ method: 'POST', path: `${pathOf(object)}?fieldValidation=Strict`, body: object });

async function readAs(object: KubeObject, apiVersion: string): Promise<KubeObject> {
  const path = `${pathOf(object, apiVersion)}/${object.metadata.name}`;
  const { status, body } = await api.request({ method: 'GET', path });
  assert.equal(status, 200);
  return body as KubeObject;
}

/** What the API server must make of what was written, when it is read as the given version. */
function expectedSpec(written: KubeObject, crd: Crd, version: string): unknown {
  const schemaOf = (name: string | undefined) => {
    const schema = crd.versions.find((one) => one.name === name)?.schema;
    assert.ok(schema !== undefined);
    return schema;
  };
  const own = withDefaults(schemaOf(written.apiVersion?.split('/')[1]), written);
  const stored = withDefaults(schemaOf(crd.versions[0]?.name), own);
  return (withDefaults(schemaOf(version), stored) as KubeObject).spec;
}

for (const { name, yaml, refusal } of verdicts) {
  test(`the API server's verdict on ${name}`, { skip }, async () => {
    const written: KubeObject = parse(yaml);
    const { status, body } = await create(written);
    const { message = '' } = body as { message?: string };
    assert.equal(status, refusal.length === 0 ? 201 : 422, message);
    for (const part of refusal) assert.ok(message.includes(part), message);
    assert.doesNotMatch(message, /evaluating rule/);
    const crd = crdOf(written);
    if (refusal.length > 0 || crd === undefined) return;
    for (const { name: version } of crd.versions) {
      const { spec } = await readAs(written, `${crd.group}/${version}`);
      assert.deepEqual(spec, expectedSpec(written, crd, version), version);
    }
  });
}

test('the API server takes every example of the reference pages', { skip }, async () => {
  const root = new URL('..', import.meta.url).pathname;
  const pages = globSync('docs/reference/*.md', { cwd: root }).map((page) =>
    readFileSync(`${root}${page}`, 'utf8'),
  );
  const blocks = pages.flatMap((page) => [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)]);
  assert.ok(blocks.length > 8);
  for (const [index, block] of blocks.entries()) {
    const object: KubeObject = parse(block[1] ?? '');
    const metadata = { ...object.metadata, namespace: 'default', name: `example-${index}` };
    const { status, body } = await create({ ...object, metadata });
    assert.equal(status, 201, JSON.stringify(body));
  }
});

const v1Group: KubeObject = {
  apiVersion: 'purelb.io/v1',
  kind: 'ServiceGroup',
  metadata: { name: 'edited', namespace: 'default' },
  spec: { local: { v4pool: { subnet: '192.0.2.0/24', pool: '192.0.2.10/32' } } },
};

test('a group written as v1 stays auto when it is edited as v2, and not when it is replaced', {
  skip,
}, async () => {
  const announce = async () => {
    const { spec } = await readAs(v1Group, 'purelb.io/v2');
    return (spec as { announce: string }).announce;
  };
  assert.equal((await create(v1Group)).status, 201);
  assert.equal(await announce(), 'auto');
  const path = `${pathOf(v1Group, 'purelb.io/v2')}/edited`;
  const patch = { spec: { priority: 5 } };
  assert.equal((await api.request({ method: 'PATCH', path, body: patch })).status, 200);
  assert.equal(await announce(), 'auto');
  const { metadata } = await readAs(v1Group, 'purelb.io/v2');
  const replacement = { ...v1Group, apiVersion: 'purelb.io/v2', metadata };
  assert.equal((await api.request({ method: 'PUT', path, body: replacement })).status, 200);
  assert.equal(await announce(), 'local');
});

test('status is a resource of its own: quarantine and conditions', { skip }, async () => {
  const group = { ...v1Group, metadata: { name: 'quarantined', namespace: 'default' } };
  assert.equal((await create(group)).status, 201);
  const path = `${pathOf(group, 'purelb.io/v2')}/quarantined/status`;
  const at = '2026-01-31T12:00:00Z';
  const status = {
    announce: 'Auto',
    allocatedIPv4: 1,
    availableIPv6: Number.MAX_SAFE_INTEGER,
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Parsed', message: '', lastTransitionTime: at },
    ],
    quarantine: [
      { address: '192.0.2.7', until: at, reason: 'Conflict', mac: '02:00:5e:10:00:01', node: 'n' },
    ],
  };
  const answer = await api.request({ method: 'PATCH', path, body: { status } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual((await readAs(group, 'purelb.io/v1')).status, status);
});

const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The CRD as an earlier PureLB has it: versions without a schema worth the name, the last one stored. */
function earlierCrd(ours: KubeObject, ...names: readonly string[]): KubeObject {
  const { versions: _, ...spec } = ours.spec as { versions: unknown };
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const versions = names.map((name) => ({
    name,
    served: true,
    storage: name === names.at(-1),
    schema: { openAPIV3Schema: schema },
  }));
  return { ...ours, spec: { ...spec, versions } };
}

async function replaceCrd(crd: KubeObject): Promise<void> {
  const path = `${crdPath}/${crd.metadata.name}`;
  const { body } = await api.request({ method: 'GET', path });
  const { metadata } = body as KubeObject;
  const answer = await api.request({ method: 'PUT', path, body: { ...crd, metadata } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

test('groups that an earlier PureLB stored keep their meaning under our CRD', {
  skip,
}, async () => {
  const crd = crds.find(({ kind }) => kind === 'ServiceGroup');
  const ours = crd?.object as KubeObject;
  const path = `${crdPath}/${ours.metadata.name}`;
  await api.request({ method: 'DELETE', path });
  const missing = async () =>
    assert.equal((await api.request({ method: 'GET', path })).status, 404);
  await eventually(missing, { withinMs: 20_000 });
  const created = await api.request({
    method: 'POST',
    path: crdPath,
    body: earlierCrd(ours, 'v1'),
  });
  assert.equal(created.status, 201);
  const stored = (name: string, apiVersion: string): KubeObject => ({
    ...v1Group,
    apiVersion,
    metadata: { name, namespace: 'default' },
  });
  const createSoon = (group: KubeObject) =>
    eventually(async () => assert.equal((await create(group)).status, 201), { withinMs: 20_000 });
  await createSoon(stored('since-v1', 'purelb.io/v1'));
  await replaceCrd(earlierCrd(ours, 'v1', 'v2'));
  await createSoon(stored('since-v2', 'purelb.io/v2'));
  await replaceCrd(ours);
  const announce = async (name: string) => {
    const { spec } = await readAs(stored(name, 'purelb.io/v2'), 'purelb.io/v2');
    return (spec as { announce?: string }).announce;
  };
  const meaning = async () =>
    assert.deepEqual([await announce('since-v1'), await announce('since-v2')], ['auto', 'local']);
  await eventually(meaning, { withinMs: 20_000 });
});
