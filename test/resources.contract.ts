/** Our CRDs on an API server: its verdict on each resource, what it makes of it, and what older objects come to mean. */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { ContractClient } from '../lab/api/contract/contract-client.ts';
import type { ContractServer, StartServer } from '../lab/api/contract/contract-server.ts';
import { eventually } from '../lab/eventually.ts';
import type { KubeObject } from '../src/model/kube-object.ts';
import { type Crd, loadCrds, withDefaults } from './crd-fields.ts';
import { type Verdict, verdicts } from './resource-verdicts.ts';

const crds = loadCrds();
const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const soon = { withinMs: 20_000 };

const v1Group: KubeObject = {
  apiVersion: 'purelb.io/v1',
  kind: 'ServiceGroup',
  metadata: { name: 'edited', namespace: 'default' },
  spec: { local: { v4pool: { subnet: '192.0.2.0/24', pool: '192.0.2.10/32' } } },
};

/** Sends and reads objects as an administrator, whatever their kind. */
class World {
  #server: ContractServer | undefined;
  #client: ContractClient | undefined;

  async start(start: StartServer): Promise<void> {
    this.#server = await start();
    this.#client = new ContractClient(this.#server, this.#server.token('admin'));
    for (const { object } of crds)
      assert.equal((await this.send('POST', crdPath, object)).status, 201);
    for (const crd of crds) {
      const path = `/apis/${crd.group}/${crd.versions[0]?.name}/${crd.plural}`;
      await eventually(async () => assert.equal((await this.send('GET', path)).status, 200), soon);
    }
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  async send(method: string, path: string, body?: unknown) {
    assert.ok(this.#client !== undefined);
    const type = method === 'PATCH' ? 'application/merge-patch+json' : undefined;
    const answer = await this.#client.send(method, path, body, type);
    return { status: answer.status, body: answer.body as unknown as KubeObject };
  }

  create(object: KubeObject) {
    return this.send('POST', `${pathOf(object)}?fieldValidation=Strict`, object);
  }

  async readAs(object: KubeObject, apiVersion: string): Promise<KubeObject> {
    const { status, body } = await this.send(
      'GET',
      `${pathOf(object, apiVersion)}/${object.metadata.name}`,
    );
    assert.equal(status, 200);
    return body;
  }

  async announceOf(object: KubeObject): Promise<unknown> {
    const { spec } = await this.readAs(object, 'purelb.io/v2');
    return (spec as { announce?: unknown }).announce;
  }
}

function crdOf({ apiVersion = '', kind }: KubeObject): Crd | undefined {
  return crds.find((crd) => crd.kind === kind && apiVersion.startsWith(`${crd.group}/`));
}

function pathOf(object: KubeObject, apiVersion = object.apiVersion ?? ''): string {
  const plural = crdOf(object)?.plural ?? 'services';
  const prefix = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${prefix}/namespaces/default/${plural}`;
}

/** What the API server must make of what was written, when it is read as the given version. */
function expectedSpec(written: KubeObject, crd: Crd, version: string): unknown {
  const steps = [written.apiVersion?.split('/')[1], crd.versions[0]?.name, version];
  const read = steps.reduce((object: unknown, name) => {
    const schema = crd.versions.find((one) => one.name === name)?.schema;
    assert.ok(schema !== undefined);
    return withDefaults(schema, object);
  }, written);
  return (read as KubeObject).spec;
}

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

export function resourcesContract(name: string, start: StartServer): void {
  describe(`${name}: our resources`, () => {
    const world = new World();
    before(() => world.start(start));
    after(() => world.stop());
    verdictsContract(world);
    versionsContract(world);
  });
}

async function checkRefused(world: World, { yaml, refusal }: Verdict): Promise<void> {
  const { status, body } = await world.create(parse(yaml));
  const { message } = body as unknown as { readonly message: string };
  assert.equal(status, 422, message);
  for (const part of refusal) assert.ok(message.includes(part), message);
  // A rule that fails to run refuses too, but says nothing that would help.
  assert.doesNotMatch(message, /evaluating rule/);
}

async function checkTaken(world: World, { yaml }: Verdict): Promise<void> {
  const written: KubeObject = parse(yaml);
  const { status, body } = await world.create(written);
  assert.equal(status, 201, JSON.stringify(body));
  const crd = crdOf(written);
  for (const { name: version } of crd?.versions ?? []) {
    const { spec } = await world.readAs(written, `${crd?.group}/${version}`);
    assert.deepEqual(spec, crd && expectedSpec(written, crd, version), version);
  }
}

function verdictsContract(world: World): void {
  for (const verdict of verdicts) {
    const check = verdict.refusal.length > 0 ? checkRefused : checkTaken;
    test(`the verdict on ${verdict.name}`, () => check(world, verdict));
  }

  test('every example of the reference pages is taken', async () => {
    const root = new URL('..', import.meta.url).pathname;
    const pages = globSync('docs/reference/*.md', { cwd: root });
    const blocks = pages.flatMap((page) => [
      ...readFileSync(`${root}${page}`, 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm),
    ]);
    assert.ok(blocks.length > 8);
    for (const [index, block] of blocks.entries()) {
      const object: KubeObject = parse(block[1] ?? '');
      const metadata = { ...object.metadata, namespace: 'default', name: `example-${index}` };
      const { status, body } = await world.create({ ...object, metadata });
      assert.equal(status, 201, JSON.stringify(body));
    }
  });
}

function versionsContract(world: World): void {
  test('a group written as v1 stays auto when it is edited as v2, and not when it is replaced', async () => {
    assert.equal((await world.create(v1Group)).status, 201);
    assert.equal(await world.announceOf(v1Group), 'auto');
    const path = `${pathOf(v1Group, 'purelb.io/v2')}/edited`;
    const edited = await world.send('PATCH', path, { spec: { priority: 5 } });
    assert.equal(edited.status, 200);
    assert.equal(await world.announceOf(v1Group), 'auto');
    const { metadata } = edited.body;
    const replacement = { ...v1Group, apiVersion: 'purelb.io/v2', metadata };
    assert.equal((await world.send('PUT', path, replacement)).status, 200);
    assert.equal(await world.announceOf(v1Group), 'local');
  });

  test('status is a resource of its own, with quarantine and conditions', async () => {
    const group = { ...v1Group, metadata: { name: 'quarantined', namespace: 'default' } };
    assert.equal((await world.create(group)).status, 201);
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
        {
          address: '192.0.2.7',
          until: at,
          reason: 'Conflict',
          mac: '02:00:5e:10:00:01',
          node: 'n',
        },
      ],
    };
    const answer = await world.send('PATCH', path, { status });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual((await world.readAs(group, 'purelb.io/v1')).status, status);
  });

  test('groups that an earlier PureLB stored keep their meaning under our CRD', async () => {
    const ours = crds.find(({ kind }) => kind === 'ServiceGroup')?.object as KubeObject;
    const path = `${crdPath}/${ours.metadata.name}`;
    const replace = async (crd: KubeObject) => {
      const { metadata } = (await world.send('GET', path)).body;
      assert.equal((await world.send('PUT', path, { ...crd, metadata })).status, 200);
    };
    const stored = (name: string, apiVersion: string): KubeObject => ({
      ...v1Group,
      apiVersion,
      metadata: { name, namespace: 'default' },
    });
    const createSoon = (group: KubeObject) =>
      eventually(async () => assert.equal((await world.create(group)).status, 201), soon);
    await world.send('DELETE', path);
    await eventually(async () => assert.equal((await world.send('GET', path)).status, 404), soon);
    assert.equal((await world.send('POST', crdPath, earlierCrd(ours, 'v1'))).status, 201);
    const [first, second] = [
      stored('since-v1', 'purelb.io/v1'),
      stored('since-v2', 'purelb.io/v2'),
    ];
    await createSoon(first);
    await replace(earlierCrd(ours, 'v1', 'v2'));
    await createSoon(second);
    await replace(ours);
    const meaning = async () =>
      assert.deepEqual(
        [await world.announceOf(first), await world.announceOf(second)],
        ['auto', 'local'],
      );
    await eventually(meaning, soon);
  });
}
