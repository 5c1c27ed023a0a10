import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, textAt } from '../json.ts';
import type { World } from './contract-world.ts';
import { at, causes, message, namesOf, outcome, versionOf } from './look.ts';

/** What is special about the other built-in kinds that PureLB meets. */
export function kindsContract(world: World): void {
  const inNamespace = async (group: string, plural: string) => {
    const root = group === '' ? '/api/v1' : `/apis/${group}/v1`;
    return `${root}/namespaces/${await world.namespace()}/${plural}`;
  };

  test('a namespace is labelled with its name, and active', async () => {
    const name = await world.namespace();
    const { body } = await world.admin.get(`/api/v1/namespaces/${name}`);
    assert.deepEqual(at(body, 'metadata.labels'), { 'kubernetes.io/metadata.name': name });
    assert.deepEqual(at(body, 'spec'), { finalizers: ['kubernetes'] });
    assert.deepEqual(at(body, 'status'), { phase: 'Active' });
  });

  test('a namespace that goes takes nothing new', async () => {
    const namespaces = '/api/v1/namespaces';
    const spec = { finalizers: ['example.com/hold'] };
    await world.admin.post(namespaces, { metadata: { name: 'going' }, spec });
    const deleted = await world.admin.delete(`${namespaces}/going`);
    assert.equal(at(deleted.body, 'status.phase'), 'Terminating');
    const refused = await world.admin.post(`${namespaces}/going/configmaps`, {
      metadata: { name: 'a' },
    });
    assert.equal(outcome(refused), '403 Forbidden');
    assert.equal(at(refused.body, 'details.causes.0.reason'), 'NamespaceTerminating');
    const finalized = { metadata: { name: 'going' }, spec: { finalizers: [] } };
    await world.admin.put(`${namespaces}/going/finalize`, finalized);
    assert.equal(outcome(await world.admin.get(`${namespaces}/going`)), '404 NotFound');
    assert.equal(outcome(await world.admin.delete(`${namespaces}/default`)), '403 Forbidden');
  });

  test('a lease wants times with exactly six digits', async () => {
    const leases = await inNamespace('coordination.k8s.io', 'leases');
    const lease = (renewTime: string) => ({ metadata: { name: 'a' }, spec: { renewTime } });
    const three = await world.admin.post(leases, lease('2026-01-01T00:00:00.000Z'));
    assert.equal(outcome(three), '400 BadRequest');
    assert.match(message(three), /as "2006-01-02T15:04:05\.000000Z07:00"/);
    const six = await world.admin.post(leases, lease('2026-01-01T02:00:00.123456+02:00'));
    assert.equal(at(six.body, 'spec.renewTime'), '2026-01-01T00:00:00.123456Z');
  });

  test('a lease is created by the first PUT and changed only by who has seen it', async () => {
    const leases = await inNamespace('coordination.k8s.io', 'leases');
    const put = (metadata: JsonObject, holderIdentity: string) =>
      world.admin.put(`${leases}/a`, {
        metadata: { name: 'a', ...metadata },
        spec: { holderIdentity, leaseDurationSeconds: 10 },
      });
    const first = await put({}, 'one');
    assert.equal(outcome(first), '201');
    assert.equal(outcome(await put({}, 'two')), '422 Invalid');
    assert.equal(outcome(await put({ resourceVersion: versionOf(first) }, 'two')), '200');
    assert.equal(outcome(await put({ resourceVersion: versionOf(first) }, 'one')), '409 Conflict');
    const zero = await world.admin.patch(`${leases}/a`, { spec: { leaseDurationSeconds: 0 } });
    assert.deepEqual(causes(zero), [
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
    ]);
  });

  test('an event has two faces', async () => {
    const events = await inNamespace('', 'events');
    const namespace = events.split('/')[4] ?? '';
    const about = { kind: 'Service', namespace, name: 'web', uid: 'u1' };
    await world.admin.post(events, {
      metadata: { name: 'old' },
      involvedObject: about,
      reason: 'AddressAssigned',
      message: 'given',
      type: 'Normal',
      source: { component: 'allocator' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      count: 2,
    });
    const newer = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    const { body } = await world.admin.get(`${newer}/old`);
    assert.equal(at(body, 'apiVersion'), 'events.k8s.io/v1');
    assert.equal(at(body, 'note'), 'given');
    assert.deepEqual(at(body, 'regarding'), about);
    assert.deepEqual(at(body, 'deprecatedSource'), { component: 'allocator' });
    assert.equal(at(body, 'deprecatedCount'), 2);
    await world.admin.post(newer, {
      metadata: { name: 'new' },
      regarding: about,
      reason: 'AddressAssigned',
      note: 'given',
      type: 'Normal',
      action: 'Allocate',
      reportingController: 'purelb.io/allocator',
      reportingInstance: 'a-1',
      eventTime: '2026-01-01T00:00:00.000000Z',
    });
    const old = await world.admin.get(`${events}/new`);
    assert.equal(at(old.body, 'message'), 'given');
    assert.equal(at(old.body, 'reportingComponent'), 'purelb.io/allocator');
    const query = 'fieldSelector=involvedObject.name%3Dweb,type%3DNormal,source%3Dallocator';
    assert.deepEqual(namesOf(await world.admin.get(`${events}?${query}`)), ['old']);
    const series = { series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' } };
    assert.equal(outcome(await world.admin.patch(`${newer}/new`, series)), '200');
    assert.equal(outcome(await world.admin.patch(`${newer}/new`, { note: 'x' })), '422 Invalid');
  });

  test('an event lies in the namespace of its object', async () => {
    const events = await inNamespace('', 'events');
    const elsewhere = await world.admin.post(events, {
      metadata: { name: 'a' },
      involvedObject: { kind: 'Service', namespace: 'default', name: 'web' },
    });
    assert.equal(outcome(elsewhere), '422 Invalid');
    const node = { metadata: { generateName: 'n-' }, involvedObject: { kind: 'Node', name: 'n1' } };
    const created = await world.admin.post('/api/v1/namespaces/default/events', node);
    assert.equal(outcome(created), '201');
  });

  test('a new node is not ready, and keeps the status it came with', async () => {
    const { body } = await world.admin.post('/api/v1/nodes', {
      metadata: { name: 'n1' },
      spec: { podCIDR: '192.0.2.0/25' },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
    });
    assert.deepEqual(at(body, 'spec'), {
      podCIDR: '192.0.2.0/25',
      podCIDRs: ['192.0.2.0/25'],
      taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
    });
    assert.equal(at(body, 'status.addresses.0.address'), '192.0.2.1');
    const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    const patched = await world.admin.patch('/api/v1/nodes/n1/status', ready, 'strategic');
    assert.equal(at(patched.body, 'status.conditions.0.status'), 'True');
    const cordon = await world.admin.patch('/api/v1/nodes/n1', { spec: { unschedulable: true } });
    assert.equal(at(cordon.body, 'status.conditions.0.status'), 'True');
    const query = '/api/v1/nodes?fieldSelector=spec.unschedulable%3D';
    assert.deepEqual(namesOf(await world.admin.get(`${query}true`)), ['n1']);
    assert.deepEqual(namesOf(await world.admin.get(`${query}false`)), []);
    await world.admin.delete('/api/v1/nodes/n1');
  });

  test('a secret takes plain text and keeps its type', async () => {
    const secrets = await inNamespace('', 'secrets');
    const { body } = await world.admin.post(secrets, {
      metadata: { name: 'a' },
      stringData: { password: 'secret' },
    });
    assert.deepEqual(at(body, 'data'), { password: 'c2VjcmV0' });
    assert.equal(at(body, 'stringData'), undefined);
    assert.equal(at(body, 'type'), 'Opaque');
    assert.equal(
      outcome(await world.admin.patch(`${secrets}/a`, { type: 'example.com/other' })),
      '422 Invalid',
    );
    const opaque = await world.admin.get(`${secrets}?fieldSelector=type%3DOpaque`);
    assert.deepEqual(namesOf(opaque), ['a']);
  });

  test('an endpoint slice keeps to its family', async () => {
    const slices = await inNamespace('discovery.k8s.io', 'endpointslices');
    const slice = (addressType: string, address: string) => ({
      metadata: { name: 'a', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType,
      endpoints: [{ addresses: [address], nodeName: 'n1' }],
      ports: [{ port: 80 }],
    });
    const wrong = await world.admin.post(slices, slice('IPv4', '2001:db8::1'));
    assert.equal(outcome(wrong), '422 Invalid');
    const { body } = await world.admin.post(slices, slice('IPv4', '192.0.2.1'));
    assert.deepEqual(at(body, 'ports'), [{ name: '', port: 80, protocol: 'TCP' }]);
    assert.equal(at(body, 'metadata.generation'), 1);
    const gone = await world.admin.patch(`${slices}/a`, { endpoints: [] });
    assert.equal(at(gone.body, 'metadata.generation'), 2);
    assert.equal(
      outcome(await world.admin.patch(`${slices}/a`, { addressType: 'IPv6' })),
      '422 Invalid',
    );
  });

  test('a pod on a node is deleted in two steps', async () => {
    const pods = await inNamespace('', 'pods');
    const spec = { containers: [{ name: 'main', image: 'example.com/a:1' }] };
    const { body } = await world.admin.post(pods, {
      metadata: { name: 'a' },
      spec: { ...spec, nodeName: 'n1' },
    });
    assert.equal(at(body, 'status.phase'), 'Pending');
    assert.equal(at(body, 'spec.containers.0.imagePullPolicy'), 'IfNotPresent');
    const onNode = await world.admin.get(`${pods}?fieldSelector=spec.nodeName%3Dn1`);
    assert.deepEqual(namesOf(onNode), ['a']);
    const deleted = await world.admin.delete(`${pods}/a`);
    assert.equal(at(deleted.body, 'metadata.deletionGracePeriodSeconds'), 30);
    assert.equal(outcome(await world.admin.get(`${pods}/a`)), '200');
    await world.admin.delete(`${pods}/a?gracePeriodSeconds=0`);
    assert.equal(outcome(await world.admin.get(`${pods}/a`)), '404 NotFound');
    await world.admin.post(pods, { metadata: { name: 'b' }, spec });
    await world.admin.delete(`${pods}/b`);
    assert.equal(outcome(await world.admin.get(`${pods}/b`)), '404 NotFound');
  });

  test('a generation counts changes of the wish, not of labels or status', async () => {
    const sets = await inNamespace('apps', 'daemonsets');
    const generation = (answer: { body: unknown }) =>
      at(answer.body as JsonObject, 'metadata.generation');
    const created = await world.admin.post(sets, {
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: { app: 'x' } },
        template: {
          metadata: { labels: { app: 'x' } },
          spec: { containers: [{ name: 'main', image: 'example.com/a:1' }] },
        },
      },
    });
    assert.equal(generation(created), 1);
    assert.equal(textAt(created.body, 'spec', 'updateStrategy', 'type'), 'RollingUpdate');
    const patch = (body: JsonObject, path = `${sets}/a`) => world.admin.patch(path, body);
    assert.equal(generation(await patch({ metadata: { labels: { a: 'b' } } })), 1);
    const status = { status: { desiredNumberScheduled: 3 } };
    assert.equal(generation(await patch(status, `${sets}/a/status`)), 1);
    const ignored = await patch({ status: { desiredNumberScheduled: 9 } });
    assert.equal(at(ignored.body, 'status.desiredNumberScheduled'), 3);
    assert.equal(generation(await patch({ spec: { minReadySeconds: 5 } })), 2);
  });
}
