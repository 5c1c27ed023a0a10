import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '../json.ts';
import type { World } from './contract-world.ts';
import { at, causes, message, namesOf, outcome, versionOf } from './look.ts';
import { definition, until } from './things.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Kinds that are defined at run time. */
export function customResourcesContract(world: World): void {
  const group = 'things.example.com';
  before(() => until(world, definition(group), `/apis/${group}/v2/things`));

  const path = async (version = 'v2') =>
    `/apis/${group}/${version}/namespaces/${await world.namespace()}/things`;
  const thing = (spec: unknown, version = 'v2', name = 'a') =>
    ({ apiVersion: `${group}/${version}`, kind: 'Thing', metadata: { name }, spec }) as JsonObject;

  test('a definition is established and its group is served', async () => {
    const { body } = await world.admin.get(`${crds}/things.${group}`);
    const conditions = at(body, 'status.conditions') as JsonObject[];
    const states = conditions.map(({ type, status }) => `${String(type)} ${String(status)}`);
    assert.deepEqual(states.toSorted(), ['Established True', 'NamesAccepted True']);
    assert.deepEqual(at(body, 'status.storedVersions'), ['v2']);
    assert.equal(at(body, 'spec.names.listKind'), 'ThingList');
    const { body: found } = await world.admin.get(`/apis/${group}`);
    assert.equal(at(found, 'preferredVersion.version'), 'v2');
  });

  test('defaults are filled in and unknown fields vanish', async () => {
    const things = await path();
    const { body } = await world.admin.post(
      things,
      thing({ name: 'abc', colour: 'red', free: { any: { thing: 1 } }, mode: null }),
    );
    assert.deepEqual(at(body, 'spec'), {
      name: 'abc',
      mode: 'local',
      count: 3,
      nested: { inner: 'x' },
      free: { any: { thing: 1 } },
    });
    assert.equal(at(body, 'metadata.generation'), 1);
    const strict = await world.admin.post(
      `${things}?fieldValidation=Strict`,
      thing({ name: 'abc', colour: 'red' }, 'v2', 'b'),
    );
    assert.equal(outcome(strict), '400 BadRequest');
    assert.match(message(strict), /unknown field "spec.colour"/);
  });

  test('each version has its own defaults when written, the stored one when read', async () => {
    const v2 = await path();
    const old = v2.replace('/v2/', '/v1/');
    await world.admin.post(old, thing({ name: 'abc' }, 'v1', 'old'));
    await world.admin.post(v2, thing({ name: 'abc' }, 'v2', 'new'));
    const mode = async (url: string) => at((await world.admin.get(url)).body, 'spec.mode');
    assert.equal(await mode(`${v2}/old`), 'auto');
    assert.equal(await mode(`${old}/new`), 'local');
    const read = await world.admin.get(`${v2}/old`);
    assert.equal(at(read.body, 'apiVersion'), `${group}/v2`);
    assert.equal(at(read.body, 'spec.count'), 3);
    assert.equal(at((await world.admin.get(`${old}/new`)).body, 'spec.count'), undefined);
    assert.deepEqual(namesOf(await world.admin.get(old)), ['new', 'old']);
  });

  test('finalizers keep a deleted object until the last one goes, and the status cannot change them', async () => {
    const things = await path();
    const finalizers = ['example.com/one'];
    await world.admin.post(things, {
      ...thing({ name: 'abc' }),
      metadata: { name: 'a', finalizers },
    });
    const deleted = await world.admin.delete(`${things}/a`);
    assert.match(String(at(deleted.body, 'metadata.deletionTimestamp')), /Z$/);
    assert.equal(at(deleted.body, 'metadata.generation'), 2);
    const add = { metadata: { finalizers: ['example.com/one', 'example.com/two'] } };
    assert.equal(outcome(await world.admin.patch(`${things}/a`, add)), '422 Invalid');
    const none = { metadata: { finalizers: null } };
    const asStatus = await world.admin.patch(`${things}/a/status`, none);
    assert.deepEqual(at(asStatus.body, 'metadata.finalizers'), finalizers);
    const edited = await world.admin.patch(`${things}/a`, { spec: { count: 4 } });
    assert.equal(at(edited.body, 'metadata.generation'), 3);
    assert.equal(
      outcome(await world.admin.post(things, thing({ name: 'abc' }))),
      '409 AlreadyExists',
    );
    const last = await world.admin.patch(`${things}/a`, none);
    assert.equal(outcome(last), '200');
    assert.equal(outcome(await world.admin.get(`${things}/a`)), '404 NotFound');
  });

  test('values are held to their schema', async () => {
    const things = await path();
    const wrong = async (spec: unknown) =>
      causes(await world.admin.post(things, thing(spec))).filter(
        (line) => !line.startsWith('<nil>'),
      );
    assert.deepEqual(await wrong({}), ['spec.name: Required value']);
    assert.deepEqual(await wrong({ name: 5 }), [
      'spec.name: Invalid value: "integer": spec.name in body must be of type string: "integer"',
    ]);
    assert.deepEqual(await wrong({ name: 'a' }), [
      'spec.name: Invalid value: "a": spec.name in body should be at least 2 chars long',
    ]);
    assert.deepEqual(await wrong({ name: 'abcdef' }), [
      'spec.name: Too long: may not be more than 5 bytes',
    ]);
    assert.deepEqual(await wrong({ name: 'ABC' }), [
      `spec.name: Invalid value: "ABC": spec.name in body should match '^[a-z]+$'`,
    ]);
    assert.deepEqual(await wrong({ name: 'abc', mode: 'far' }), [
      'spec.mode: Unsupported value: "far": supported values: "auto", "local", "remote"',
    ]);
    assert.deepEqual(await wrong({ name: 'abc', count: 11 }), [
      'spec.count: Invalid value: 11: spec.count in body should be less than or equal to 10',
    ]);
    assert.deepEqual(await wrong({ name: 'abc', list: ['a', 'b', 'c'] }), [
      'spec.list: Too many: 3: must have at most 2 items',
    ]);
    assert.deepEqual(await wrong({ name: 'abc', set: ['a', 'a'] }), [
      'spec.set[1]: Duplicate value: "a"',
    ]);
    assert.deepEqual(await wrong({ name: 'abc', port: true }), [
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
    ]);
    assert.deepEqual(await wrong({ name: 'abc', since: 'today' }), [
      'spec.since: Invalid value: "today": spec.since in body must be of type date-time: "today"',
    ]);
    assert.deepEqual(await wrong({ name: 'abc', labels: { a: 1 } }), [
      'spec.labels.a: Invalid value: "integer": spec.labels.a in body must be of type string: "integer"',
    ]);
  });

  test('rules are evaluated, with their messages, places and reasons', async () => {
    const things = await path();
    const wrong = async (spec: JsonObject) =>
      causes(await world.admin.post(things, thing({ name: 'abc', ...spec })));
    assert.deepEqual(await wrong({ small: 5 }), ['spec: Invalid value: small must be below count']);
    assert.deepEqual(await wrong({ subnet: 'x' }), ['spec.subnet: Forbidden: x is no network']);
    assert.deepEqual(await wrong({ subnet: '2001:db8::/64', address: '192.0.2.1' }), [
      'spec: Invalid value: address outside subnet',
    ]);
    assert.deepEqual(await wrong({ list: ['a', 'bb'] }), [
      'spec.list[1]: Invalid value: "bb": failed rule: size(self) == 1',
    ]);
    const good = { subnet: '192.0.2.0/24', address: '192.0.2.9', list: ['a'], small: 2 };
    assert.deepEqual(await wrong(good), []);
  });

  test('a rule about the past is asked only when there is one', async () => {
    const things = await path();
    await world.admin.post(things, thing({ name: 'abc' }));
    const renamed = await world.admin.patch(`${things}/a`, { spec: { name: 'xyz' } });
    assert.deepEqual(causes(renamed), ['spec: Invalid value: name is immutable']);
    assert.equal(outcome(await world.admin.patch(`${things}/a`, { spec: { count: 4 } })), '200');
  });

  test('what was wrong before a stricter schema may stay as it is', async () => {
    const old = await path('v1');
    const things = old.replace('/v1/', '/v2/');
    await world.admin.post(old, thing({ name: 'UPPER' }, 'v1'));
    const labels = { metadata: { labels: { app: 'x' } } };
    assert.equal(outcome(await world.admin.patch(`${things}/a`, labels)), '200');
    assert.equal(outcome(await world.admin.patch(`${things}/a`, { spec: { count: 4 } })), '200');
  });

  test('the status is written apart, and alone', async () => {
    const things = await path();
    const created = await world.admin.post(things, {
      ...thing({ name: 'abc' }),
      status: { ready: true },
    });
    assert.equal(at(created.body, 'status'), undefined);
    const { body } = await world.admin.patch(`${things}/a/status`, {
      metadata: { annotations: { note: 'x' } },
      spec: { count: 9 },
      status: { ready: true, big: 9007199254740991, colour: 'red' },
    });
    assert.deepEqual(at(body, 'status'), { ready: true, big: 9007199254740991 });
    assert.equal(at(body, 'spec.count'), 3);
    assert.equal(at(body, 'metadata.annotations'), undefined);
    assert.equal(at(body, 'metadata.generation'), 1);
    const main = await world.admin.patch(`${things}/a`, { spec: { count: 4 }, status: null });
    assert.equal(at(main.body, 'status.ready'), true);
    assert.equal(at(main.body, 'metadata.generation'), 2);
  });

  test('numbers of 64 bits stay exact', async () => {
    const things = await path();
    await world.admin.post(things, thing({ name: 'abc' }));
    const text = '{"status":{"big":9223372036854775807}}';
    await world.admin.send('PATCH', `${things}/a/status`, text, 'application/merge-patch+json');
    // The most recent state, not the one that a cache may still have.
    const watch = await world.admin.watch(things);
    assert.match((await watch.nextLine()) ?? '', /"big":9223372036854775807[,}]/);
    watch.close();
  });

  test('a blind replacement is refused', async () => {
    const things = await path();
    const created = await world.admin.post(things, thing({ name: 'abc' }));
    assert.equal(
      outcome(await world.admin.put(`${things}/a`, thing({ name: 'abc' }))),
      '422 Invalid',
    );
    const seen = thing({ name: 'abc', count: 5 });
    seen['metadata'] = { name: 'a', resourceVersion: versionOf(created) };
    assert.equal(outcome(await world.admin.put(`${things}/a`, seen)), '200');
  });

  test('items of a custom list name their kind, and patches know no strategy', async () => {
    const things = await path();
    await world.admin.post(things, thing({ name: 'abc' }));
    const { body } = await world.admin.get(things);
    assert.equal(at(body, 'kind'), 'ThingList');
    assert.equal(at(body, 'items.0.kind'), 'Thing');
    const strategic = await world.admin.patch(`${things}/a`, {}, 'strategic');
    assert.equal(outcome(strategic), '415 UnsupportedMediaType');
    assert.equal((await world.admin.get(`/apis/${group}/v3/things`)).status, 404);
  });

  test('lists with keys are applied item by item', async () => {
    const things = await path();
    const apply = (manager: string, spec: JsonObject) =>
      world.admin.patch(`${things}/a?fieldManager=${manager}`, thing(spec), 'apply');
    await apply('one', { name: 'abc', set: ['a', 'b'], keyed: [{ key: 'x', value: '1' }] });
    const { body } = await apply('two', { name: 'abc', set: ['c'], keyed: [{ key: 'y' }] });
    assert.deepEqual(at(body, 'spec.set'), ['a', 'b', 'c']);
    assert.deepEqual(at(body, 'spec.keyed'), [
      { key: 'x', value: '1' },
      { key: 'y', value: 'v' },
    ]);
    const fewer = await apply('one', { name: 'abc', set: ['b'] });
    assert.deepEqual(at(fewer.body, 'spec.set'), ['b', 'c']);
    assert.deepEqual(at(fewer.body, 'spec.keyed'), [{ key: 'y', value: 'v' }]);
  });

  test('an applied null removes nothing, and is no value', async () => {
    const things = await path();
    const apply = (manager: string, spec: JsonObject) =>
      world.admin.patch(`${things}/a?fieldManager=${manager}`, thing(spec), 'apply');
    await apply('one', { name: 'abc', labels: { a: '1' } });
    const kept = await apply('two', { name: 'abc', labels: null, mode: null });
    assert.deepEqual(at(kept.body, 'spec.labels'), { a: '1' });
    assert.equal(at(kept.body, 'spec.mode'), 'local');
    assert.deepEqual(
      causes(await apply('two', { name: 'abc', subnet: null })).filter(
        (line) => !line.startsWith('<nil>'),
      ),
      ['spec.subnet: Invalid value: "null": spec.subnet in body must be of type string: "null"'],
    );
  });

  test('a part without a type may change from a value to an object', async () => {
    const things = await path();
    await world.admin.post(things, thing({ name: 'abc', free: { a: { b: 'x' } } }));
    const { body } = await world.admin.patch(`${things}/a?fieldManager=other`, {
      spec: { free: { a: 1 } },
    });
    const entries = at(body, 'metadata.managedFields') as JsonObject[];
    const fields = Object.fromEntries(
      entries.map(({ manager, fieldsV1 }) => [manager, at(fieldsV1, 'f:spec.f:free')]),
    );
    assert.deepEqual(fields, { contract: {}, other: { 'f:a': {} } });
  });

  test('a definition that goes takes its objects along', async () => {
    const other = 'gone.example.com';
    await until(world, definition(other), `/apis/${other}/v2/things`);
    const things = `/apis/${other}/v2/namespaces/${await world.namespace()}/things`;
    const object = thing({ name: 'abc' });
    await world.admin.post(things, { ...object, apiVersion: `${other}/v2` });
    const from = versionOf(await world.admin.get(things));
    const watch = await world.admin.watch(`${things}?resourceVersion=${from}`);
    await world.admin.delete(`${crds}/things.${other}`);
    const event = await watch.next();
    watch.close();
    assert.equal(event?.type, 'DELETED');
  });

  test('a definition must make sense', async () => {
    const crd = definition('wrong.example.com');
    const wrong = { ...crd, metadata: { name: 'other.wrong.example.com' } };
    assert.deepEqual(causes(await world.admin.post(crds, wrong)), [
      'metadata.name: Invalid value: "other.wrong.example.com": must be spec.names.plural+"."+spec.group',
    ]);
  });
}
