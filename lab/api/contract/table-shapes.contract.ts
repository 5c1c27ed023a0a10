import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, objectAt, textAt } from '../json.ts';
import { tableType } from './contract-client.ts';
import type { World } from './contract-world.ts';
import { textOf, write } from './table-text.ts';
import { until } from './things.ts';

/** What all tables have in common, and those of custom resources. */
export function tableShapesContract(world: World): void {
  const tableOf = async (path: string) => textOf((await world.admin.table(path)).body);

  test('custom resources show the columns of their definition', async () => {
    const namespace = await world.namespace();
    const group = `${namespace}.example.com`;
    const column = (name: string, type: string, jsonPath: string, priority = 0) => ({
      name,
      type,
      jsonPath,
      priority,
    });
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: open } } },
      additionalPrinterColumns: [
        column('Text', 'string', '.spec.text'),
        column('List', 'string', '.spec.list', 1),
        column('Number', 'integer', '.spec.number'),
        column('Wrong', 'integer', '.spec.text'),
        column('Ready', 'string', '.spec.conditions[?(@.type=="Ready")].status'),
        column('Since', 'date', '.spec.since'),
        column('Bad', 'date', '.spec.text'),
        column('Yes', 'boolean', '.spec.yes'),
      ],
    };
    const names = { kind: 'Shown', plural: 'showns' };
    const path = `/apis/${group}/v1/namespaces/${namespace}/showns`;
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `showns.${group}` },
      spec: { group, scope: 'Namespaced', names, versions: [version] },
    };
    await until(world, crd, path);
    const spec = {
      text: 'abc',
      list: ['a', { b: 1 }],
      number: 5,
      conditions: [{ type: 'Ready', status: 'True' }],
      since: new Date(Date.now() - 5000).toISOString(),
      yes: true,
    };
    const shown = { apiVersion: `${group}/v1`, kind: 'Shown' };
    await write(world, { path, body: { ...shown, metadata: { name: 'a' }, spec } });
    await write(world, { path, body: { ...shown, metadata: { name: 'b' }, spec: {} } });
    assert.deepEqual(await tableOf(path), [
      'Name:string:0 | Text:string:0 | List:string:1 | Number:integer:0 | Wrong:integer:0 | Ready:string:0 | Since:date:0 | Bad:date:0 | Yes:boolean:0',
      'a | abc | ["a",{"b":1}] | 5 | null | True | AGE | <invalid> | true',
      'b | null | null | null | null | null | null | null | null',
    ]);
  });

  test('a table has as much of each object as one asks for', async () => {
    const path = `/api/v1/namespaces/${await world.namespace()}/configmaps`;
    await write(world, { path, body: { metadata: { name: 'a' }, data: { a: 'b' } } });
    const objectOf = async (query: string) => {
      const { body } = await world.admin.table(`${path}/a${query}`);
      assert.deepEqual(
        [textAt(body, 'kind'), textAt(body, 'apiVersion')],
        ['Table', 'meta.k8s.io/v1'],
      );
      return objectAt(listAt(body, 'rows')[0], 'object');
    };
    const plain = await objectOf('');
    assert.equal(plain['kind'], 'PartialObjectMetadata');
    assert.equal(textAt(plain, 'metadata', 'name'), 'a');
    assert.equal(plain['data'], undefined);
    assert.deepEqual((await objectOf('?includeObject=Object'))['data'], { a: 'b' });
    assert.deepEqual(await objectOf('?includeObject=None'), {});
    assert.equal((await world.admin.table(`${path}/a?includeObject=Half`)).status, 400);
    assert.equal((await world.admin.table(`${path}/missing`)).status, 404);
  });

  test('a watch of tables has the columns once', async () => {
    const path = `/api/v1/namespaces/${await world.namespace()}/configmaps`;
    for (const name of ['a', 'b']) await write(world, { path, body: { metadata: { name } } });
    const watch = await world.admin.watch(path, tableType);
    const events = await watch.take(2);
    watch.close();
    assert.deepEqual(
      events.map(({ type, object }) => [
        type,
        textAt(object, 'kind'),
        listAt(object, 'columnDefinitions').length,
        listAt(listAt(object, 'rows')[0], 'cells')[0],
      ]),
      [
        ['ADDED', 'Table', 3, 'a'],
        ['ADDED', 'Table', 0, 'b'],
      ],
    );
  });
}
