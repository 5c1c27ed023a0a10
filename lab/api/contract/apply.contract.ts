import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, listAt, textAt } from '../json.ts';
import type { World } from './contract-world.ts';
import { at, causes, message, outcome, versionOf } from './look.ts';

/** Server-side apply, and the notes about who owns which field. */
export function applyContract(world: World): void {
  const place = async () => {
    const services = `/api/v1/namespaces/${await world.namespace()}/services`;
    const apply = (manager: string, fields: JsonObject, query = '') =>
      world.admin.patch(
        `${services}/a?fieldManager=${manager}${query}`,
        { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, ...fields },
        'apply',
      );
    return { services, apply };
  };
  const port = (number: number, name: string) => ({ port: number, name });
  const ports = (body: unknown) =>
    (at(body as JsonObject, 'spec.ports') as JsonObject[]).map(
      (entry) => `${String(entry['name'])}:${String(entry['port'])}`,
    );
  const owners = (body: JsonObject) =>
    Object.fromEntries(
      (listAt(body, 'metadata', 'managedFields') as JsonObject[]).map((entry) => [
        `${textAt(entry, 'manager')} ${textAt(entry, 'operation')} ${textAt(entry, 'subresource')}`.trim(),
        entry['fieldsV1'],
      ]),
    );

  test('what is applied is owned, what is defaulted is not', async () => {
    const { apply } = await place();
    const created = await apply('one', {
      metadata: { name: 'a', labels: { app: 'x' } },
      spec: { ports: [port(80, 'http')], selector: { app: 'x' } },
    });
    assert.equal(outcome(created), '201');
    assert.deepEqual(owners(created.body as JsonObject), {
      'one Apply': {
        'f:metadata': { 'f:labels': { 'f:app': {} } },
        'f:spec': {
          'f:ports': {
            'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} },
          },
          'f:selector': {},
        },
      },
    });
  });

  test('an ordinary write owns what it changes', async () => {
    const { services } = await place();
    const spec = { ports: [port(80, 'http')] };
    const created = await world.admin.post(services, { metadata: { name: 'a' }, spec });
    assert.deepEqual(owners(created.body as JsonObject), {
      'contract Update': {
        'f:spec': {
          'f:internalTrafficPolicy': {},
          'f:ports': {
            '.': {},
            'k:{"port":80,"protocol":"TCP"}': {
              '.': {},
              'f:name': {},
              'f:port': {},
              'f:protocol': {},
              'f:targetPort': {},
            },
          },
          'f:sessionAffinity': {},
          'f:type': {},
        },
      },
    });
    const other = await world.admin.patch(`${services}/a?fieldManager=other`, {
      metadata: { labels: { app: 'y' } },
    });
    assert.deepEqual(owners(other.body as JsonObject)['other Update'], {
      'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
    });
  });

  test('applying the same again changes nothing', async () => {
    const { apply } = await place();
    const fields = { spec: { ports: [port(80, 'http')] } };
    const first = await apply('one', fields);
    const second = await apply('one', fields);
    assert.equal(outcome(second), '200');
    assert.equal(versionOf(second), versionOf(first));
  });

  test('items of two managers live side by side', async () => {
    const { apply } = await place();
    await apply('one', { spec: { ports: [port(80, 'http')] } });
    const both = await apply('two', { spec: { ports: [port(443, 'https')] } });
    assert.deepEqual(ports(both.body), ['http:80', 'https:443']);
  });

  test('what a manager no longer applies goes, if nobody else wants it', async () => {
    const { apply } = await place();
    const labels = (...names: readonly string[]) => ({
      name: 'a',
      labels: Object.fromEntries(names.map((name) => [name, 'x'])),
    });
    await apply('one', {
      metadata: labels('mine', 'shared'),
      spec: { ports: [port(80, 'http'), port(443, 'https')] },
    });
    await apply('two', { metadata: labels('shared') });
    const fewer = await apply('one', { metadata: labels(), spec: { ports: [port(80, 'http')] } });
    assert.deepEqual(at(fewer.body, 'metadata.labels'), { shared: 'x' });
    assert.deepEqual(ports(fewer.body), ['http:80']);
  });

  test('a field of somebody else is a conflict, unless forced', async () => {
    const { services, apply } = await place();
    await apply('one', {
      metadata: { name: 'a', labels: { app: 'x' } },
      spec: { ports: [port(80, 'http')] },
    });
    const wish = {
      metadata: { name: 'a', labels: { app: 'y' } },
      spec: { ports: [port(80, 'web')] },
    };
    const refused = await apply('two', wish);
    assert.equal(outcome(refused), '409 Conflict');
    assert.deepEqual(causes(refused), [
      '.metadata.labels.app: conflict with "one"',
      '.spec.ports[port=80,protocol="TCP"].name: conflict with "one"',
    ]);
    assert.equal(
      message(refused),
      'Apply failed with 2 conflicts: conflicts with "one":\n- .metadata.labels.app\n- .spec.ports[port=80,protocol="TCP"].name',
    );
    const forced = await apply('two', wish, '&force=true');
    assert.equal(at(forced.body, 'metadata.labels.app'), 'y');
    await world.admin.patch(`${services}/a`, { metadata: { labels: { app: 'z' } } });
    const again = await apply('two', wish);
    assert.deepEqual(causes(again), ['.metadata.labels.app: conflict with "contract" using v1']);
  });

  test('the same value twice is no conflict', async () => {
    const { apply } = await place();
    const fields = {
      metadata: { name: 'a', labels: { app: 'x' } },
      spec: { ports: [port(80, 'http')] },
    };
    await apply('one', fields);
    assert.equal(outcome(await apply('two', fields)), '200');
  });

  test('who only confirms what is there is noted without a time', async () => {
    const { apply } = await place();
    const fields = { spec: { ports: [port(80, 'http')] } };
    await apply('one', fields);
    const { body } = await apply('two', fields);
    const entries = listAt(body, 'metadata', 'managedFields') as JsonObject[];
    const times = entries.map(({ manager, time }) => [manager, time !== undefined]);
    assert.deepEqual(times, [
      ['two', false],
      ['one', true],
    ]);
  });

  test('the status is applied apart, with metadata', async () => {
    const { services, apply } = await place();
    await apply('one', { spec: { ports: [port(80, 'http')] } });
    const condition = {
      type: 'Allocated',
      status: 'True',
      reason: 'Given',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const applied = await world.admin.patch(
      `${services}/a/status?fieldManager=two`,
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'a', annotations: { note: 'x' } },
        spec: { type: 'NodePort' },
        status: { conditions: [condition] },
      },
      'apply',
    );
    assert.equal(outcome(applied), '200');
    assert.deepEqual(at(applied.body, 'status.conditions'), [condition]);
    assert.equal(at(applied.body, 'spec.type'), 'ClusterIP');
    const mine = owners(applied.body as JsonObject)['two Apply status'] as JsonObject;
    assert.deepEqual(Object.keys(mine).toSorted(), ['f:metadata', 'f:status']);
  });

  test('fields that were there before anybody applied belong to the past', async () => {
    const { services, apply } = await place();
    await world.admin.post(services, {
      metadata: { name: 'a' },
      spec: { ports: [port(80, 'http')] },
    });
    await world.admin.patch(`${services}/a`, { metadata: { managedFields: [{}] } });
    const labelled = await world.admin.patch(`${services}/a`, {
      metadata: { labels: { app: 'x' } },
    });
    assert.equal(at(labelled.body, 'metadata.managedFields'), undefined);
    const refused = await apply('one', { metadata: { name: 'a', labels: { app: 'y' } } });
    assert.deepEqual(causes(refused), [
      '.metadata.labels.app: conflict with "before-first-apply" using v1',
    ]);
  });

  test('who removes a field by an ordinary write owns it no more', async () => {
    const { services } = await place();
    const metadata = { name: 'a', labels: { app: 'x' } };
    await world.admin.post(services, { metadata, spec: { ports: [port(80, 'http')] } });
    const other = { metadata: { annotations: { note: 'x' } } };
    await world.admin.patch(`${services}/a?fieldManager=other`, other);
    const removed = { metadata: { annotations: null, labels: null } };
    const { body } = await world.admin.patch(`${services}/a?fieldManager=third`, removed);
    assert.deepEqual(Object.keys(owners(body as JsonObject)), ['contract Update']);
    assert.deepEqual(Object.keys(owners(body as JsonObject)['contract Update'] as JsonObject), [
      'f:spec',
    ]);
  });

  test('what cannot be applied', async () => {
    const { services, apply } = await place();
    const send = async (query: string, body: JsonObject) =>
      outcome(await world.admin.patch(`${services}/a?${query}`, body, 'apply'));
    const good = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' } };
    assert.equal(await send('', good), '422 Invalid');
    assert.equal(await send('fieldManager=one', { ...good, kind: 'Pod' }), '400 BadRequest');
    assert.equal(
      await send('fieldManager=one', { ...good, metadata: { name: 'b' } }),
      '400 BadRequest',
    );
    const managed = { ...good, metadata: { name: 'a', managedFields: [{ manager: 'x' }] } };
    assert.equal(await send('fieldManager=one', managed), '400 BadRequest');
    const unknown = await apply('one', { spec: { colour: 'red' } });
    assert.equal(outcome(unknown), '500');
    assert.match(message(unknown), /\.spec\.colour: field not declared in schema$/);
  });
}
