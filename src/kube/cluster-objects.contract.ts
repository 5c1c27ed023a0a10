/** One object at a time: create, read, change, delete. */

import assert from 'node:assert/strict';
import { isAlreadyExists, isConflict, isInvalid, isNotFound } from './api-error.ts';
import { type Cases, error, service } from './cluster-room.contract.ts';
import { addFinalizer, removeFinalizer } from './finalizer.ts';
import {
  applyPatch,
  jsonPatch,
  mergePatch,
  onlyIfUnchanged,
  pointerStep,
  strategicPatch,
} from './patch.ts';
import { nodes, services } from './resources.ts';

export const objectCases: Cases = {
  'what is created can be read, and only created once': async ({ cluster, shop }) => {
    const created = await cluster.create(services, service(shop));
    assert.equal(created.kind, 'Service');
    assert.ok(created.metadata.uid && created.metadata.resourceVersion);
    assert.equal('managedFields' in created.metadata, false);
    assert.deepEqual(await cluster.get(services, shop), created);
    assert.ok(isAlreadyExists(await error(cluster.create(services, service(shop)))));
  },

  'what is not there is not found': async ({ cluster, shop }) => {
    assert.ok(isNotFound(await error(cluster.get(services, shop))));
    assert.ok(isNotFound(await error(cluster.patch(services, shop, mergePatch({})))));
    assert.ok(isNotFound(await error(cluster.delete(services, shop))));
  },

  'what is wrong is refused as invalid, with the field named': async ({ cluster, shop }) => {
    const reason = await error(
      cluster.create(services, service(shop, { spec: { ports: [{ port: 0 }] } })),
    );
    assert.ok(isInvalid(reason));
    assert.match(String(reason), /spec\.ports\[0\]\.port/);
  },

  'replacing needs the current version': async ({ cluster, shop }) => {
    const first = await cluster.create(services, service(shop));
    const labels = { step: 'two' };
    const second = await cluster.replace(services, {
      ...first,
      metadata: { ...first.metadata, labels },
    });
    assert.deepEqual(second.metadata.labels, labels);
    assert.notEqual(second.metadata.resourceVersion, first.metadata.resourceVersion);
    assert.ok(isConflict(await error(cluster.replace(services, first))));
  },

  'a merge patch changes what it names, removes by null, and may change nothing': async ({
    cluster,
    shop,
  }) => {
    const annotations = { keep: 'a', drop: 'b' };
    await cluster.create(services, service(shop, { metadata: { ...shop, annotations } }));
    const body = { metadata: { annotations: { drop: null, 'purelb.io/new': 'c' } } };
    const patched = await cluster.patch(services, shop, mergePatch(body));
    assert.deepEqual(patched.metadata.annotations, { keep: 'a', 'purelb.io/new': 'c' });
    const again = await cluster.patch(services, shop, mergePatch(body));
    assert.equal(again.metadata.resourceVersion, patched.metadata.resourceVersion);
  },

  'a strategic patch changes one condition among those of others': async ({ cluster, shop }) => {
    const first = await cluster.create(services, service(shop));
    const condition = (type: string, reason: string) => ({
      type,
      status: 'True',
      reason,
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    const write = (conditions: readonly object[], metadata = {}) => {
      const patch = strategicPatch({ metadata, status: { conditions } });
      return cluster.patch(services, shop, patch, { subresource: 'status' });
    };
    const reasons = ({ status }: { status?: unknown }) => {
      const { conditions = [] } = status as { conditions?: { type: string; reason: string }[] };
      return conditions.map(({ type, reason }) => `${type}=${reason}`).sort();
    };
    await write([condition('Theirs', 'A')]);
    assert.deepEqual(reasons(await write([condition('Ours', 'B')])), ['Ours=B', 'Theirs=A']);
    assert.deepEqual(reasons(await write([condition('Ours', 'C')])), ['Ours=C', 'Theirs=A']);
    const { uid, resourceVersion } = first.metadata;
    assert.ok(isConflict(await error(write([condition('Ours', 'D')], { uid, resourceVersion }))));
    const gone = await write([{ $patch: 'delete', type: 'Ours' }], { annotations: { a: 'b' } });
    assert.deepEqual(reasons(gone), ['Theirs=A']);
    assert.equal(gone.metadata.annotations?.['a'], 'b');
  },

  'a merge patch can be bound to a version or an object': async ({ cluster, shop }) => {
    const first = await cluster.create(services, service(shop));
    const body = { metadata: { labels: { a: 'b' } } };
    const bound = mergePatch(onlyIfUnchanged(first, body));
    await cluster.patch(services, shop, bound);
    assert.ok(isConflict(await error(cluster.patch(services, shop, bound))));
    const uid = '00000000-0000-0000-0000-000000000000';
    const other = onlyIfUnchanged({ metadata: { ...first.metadata, uid } }, body, 'uid');
    assert.ok(isConflict(await error(cluster.patch(services, shop, mergePatch(other)))));
    await cluster.patch(services, shop, mergePatch(onlyIfUnchanged(first, body, 'uid')));
  },

  'a JSON patch is all or nothing, and its tests must hold': async ({ cluster, shop }) => {
    const annotations = { 'purelb.io/slot': 'free' };
    await cluster.create(services, service(shop, { metadata: { ...shop, annotations } }));
    const path = `/metadata/annotations/${pointerStep('purelb.io/slot')}`;
    const take = jsonPatch(
      { op: 'test', path, value: 'free' },
      { op: 'replace', path, value: 'mine' },
    );
    const taken = await cluster.patch(services, shop, take);
    assert.deepEqual(taken.metadata.annotations, { 'purelb.io/slot': 'mine' });
    assert.ok(isInvalid(await error(cluster.patch(services, shop, take))));
  },

  'apply creates, owns its fields, and takes those of others only by force': async ({
    cluster,
    shop,
  }) => {
    const wanted = (value: string) =>
      applyPatch({
        ...service(shop, { metadata: { ...shop, labels: { owner: value } } }),
        apiVersion: 'v1',
        kind: 'Service',
      });
    await cluster.patch(services, shop, wanted('one'), { fieldManager: 'one' });
    const refused = await error(
      cluster.patch(services, shop, wanted('two'), { fieldManager: 'two' }),
    );
    assert.ok(isConflict(refused));
    const forced = { ...wanted('two'), isForced: true } as ReturnType<typeof wanted>;
    const taken = await cluster.patch(services, shop, forced, { fieldManager: 'two' });
    assert.deepEqual(taken.metadata.labels, { owner: 'two' });
    const nothing = applyPatch({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: shop,
      spec: service(shop).spec,
    });
    const dropped = await cluster.patch(services, shop, nothing, { fieldManager: 'two' });
    assert.equal(dropped.metadata.labels, undefined, 'what is no longer applied is removed');
  },

  'a dry run answers as if, and keeps nothing': async ({ cluster, shop }) => {
    const dry = await cluster.create(services, service(shop), { isDryRun: true });
    assert.equal(dry.metadata.name, 'shop');
    assert.ok(isNotFound(await error(cluster.get(services, shop))));
  },

  'one patch of the status sets ingress, annotations and finalizers, and leaves the spec': async ({
    cluster,
    shop,
  }) => {
    await cluster.create(services, service(shop));
    const ingress = [{ ip: '192.0.2.1' }];
    const conditions = [
      {
        type: 'Allocated',
        status: 'True',
        reason: 'Ok',
        message: 'given',
        lastTransitionTime: '2026-11-15T09:00:00Z',
      },
    ];
    const body = {
      metadata: {
        annotations: { 'purelb.io/allocated-by': 'PureLB' },
        finalizers: ['purelb.io/x'],
      },
      spec: { selector: { app: 'ignored' } },
      status: { loadBalancer: { ingress }, conditions },
    };
    const { metadata, spec, status } = await cluster.patch(services, shop, mergePatch(body), {
      subresource: 'status',
    });
    assert.deepEqual(metadata.annotations, { 'purelb.io/allocated-by': 'PureLB' });
    assert.deepEqual(metadata.finalizers, ['purelb.io/x']);
    assert.deepEqual((spec as { selector: object }).selector, { app: 'shop' });
    const written = status as { loadBalancer: { ingress: { ip: string }[] }; conditions: object[] };
    assert.deepEqual(
      written.loadBalancer.ingress.map(({ ip }) => ip),
      ['192.0.2.1'],
    );
    assert.deepEqual(written.conditions, conditions);
  },

  'the main resource leaves the status alone': async ({ cluster, shop }) => {
    await cluster.create(services, service(shop));
    const body = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } };
    const patched = await cluster.patch(services, shop, mergePatch(body));
    assert.deepEqual(patched.status, { loadBalancer: {} });
  },

  'a Service of another type has no ingress': async ({ cluster, shop }) => {
    await cluster.create(services, service(shop, { spec: { ports: [{ port: 80 }] } }));
    const body = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } };
    const patching = cluster.patch(services, shop, mergePatch(body), { subresource: 'status' });
    assert.ok(isInvalid(await error(patching)));
  },

  'deleting can be bound to a uid and a version': async ({ cluster, shop }) => {
    const { metadata } = await cluster.create(services, service(shop));
    const uid = '00000000-0000-0000-0000-000000000000';
    const wrong = (preconditions: object) => cluster.delete(services, shop, { preconditions });
    assert.ok(isConflict(await error(wrong({ uid }))));
    assert.ok(isConflict(await error(wrong({ resourceVersion: '1' }))));
    const { uid: right = '', resourceVersion = '' } = metadata;
    const preconditions = { uid: right, resourceVersion };
    assert.deepEqual(await cluster.delete(services, shop, { preconditions }), { isGone: true });
  },

  'a finalizer holds an object until it is removed': async ({ cluster, shop }) => {
    const finalizer = 'service.kubernetes.io/load-balancer-cleanup';
    const created = await cluster.create(services, service(shop));
    const add = mergePatch(addFinalizer(created, finalizer) ?? {});
    await cluster.patch(services, shop, add);
    const outcome = await cluster.delete(services, shop, { propagation: 'Background' });
    assert.equal(outcome.isGone, false);
    const dying = await cluster.get(services, shop);
    assert.ok(dying.metadata.deletionTimestamp);
    await cluster.patch(services, shop, mergePatch(removeFinalizer(dying, finalizer) ?? {}));
    assert.ok(isNotFound(await error(cluster.get(services, shop))));
  },

  'objects without a namespace are kept likewise': async ({ cluster, namespace }) => {
    const ref = { name: `node-${namespace}` };
    await cluster.create(nodes, { metadata: ref });
    const conditions = [{ type: 'Ready', status: 'True' }];
    const patch = mergePatch({ status: { conditions } });
    const patched = await cluster.patch(nodes, ref, patch, { subresource: 'status' });
    assert.equal((patched.status as { conditions: object[] }).conditions.length, 1);
    assert.deepEqual(await cluster.delete(nodes, ref), { isGone: true });
  },

  'other paths are read as text': async ({ cluster }) => {
    assert.match(await cluster.getText('/version'), /"gitVersion": ?"v1\./);
  },
};
