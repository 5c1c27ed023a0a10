/** What stands on the port: store, leases, election, events. */

import assert from 'node:assert/strict';
import type { KubeObject } from '../model/kube-object.ts';
import { isConflict, isNotFound } from './api-error.ts';
import { type Cases, clock, error, moment, service } from './cluster-room.contract.ts';
import { Elector } from './elector.ts';
import { EventRecorder } from './event-recorder.ts';
import { listAll } from './list-pages.ts';
import { OwnLease } from './own-lease.ts';
import { mergePatch } from './patch.ts';
import { Reflector } from './reflector.ts';
import { events, leases, namespaces, services } from './resources.ts';
import { Store } from './store.ts';

export const machineCases: Cases = {
  'a store follows the server and shows our own writes at once': async ({
    cluster,
    namespace,
    shop,
  }) => {
    const store = new Store();
    const reflector = new Reflector({
      cluster,
      resource: services,
      store,
      clock,
      random: Math.random,
      selection: { namespace },
    });
    const controller = new AbortController();
    const running = reflector.run(controller.signal);
    await reflector.whenSynced();
    const key = `${namespace}/shop`;
    store.put(await cluster.create(services, service(shop)));
    assert.equal(store.get(key)?.metadata.name, 'shop');
    const changed = Promise.withResolvers<void>();
    const label = (value: string) => mergePatch({ metadata: { labels: { value } } });
    const valueIn = (object?: KubeObject) => Object.values(object?.metadata.labels ?? {})[0];
    store.subscribe((_, __, object) => {
      if (valueIn(object) === 'last') changed.resolve();
    });
    for (let round = 0; round < 20; round += 1) {
      store.put(await cluster.patch(services, shop, label(String(round))));
      assert.equal(valueIn(store.get(key)), String(round));
    }
    await cluster.patch(services, shop, label('last'));
    await changed.promise;
    assert.deepEqual(store.get(key), await cluster.get(services, shop));
    assert.equal(store.unconfirmed, 0);
    controller.abort();
    await running;
  },

  'a Lease is made, renewed, fenced and deleted': async ({ cluster, namespace }) => {
    const ref = { namespace, name: 'purelb-node-n1' };
    const lease = new OwnLease({ cluster, clock, ref });
    const spec = { holderIdentity: 'n1', leaseDurationSeconds: 10 };
    const made = await lease.write({ spec, annotations: { 'purelb.io/subnets': '192.0.2.0/24' } });
    const renewed = await lease.write({ spec });
    assert.match(renewed.spec?.renewTime ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const { uid = '', resourceVersion = '' } = made.metadata;
    const stale = cluster.delete(leases, ref, { preconditions: { uid, resourceVersion } });
    assert.ok(isConflict(await error(stale)));
    assert.equal(await lease.delete(), true);
    assert.ok(isNotFound(await error(cluster.get(leases, ref))));
  },

  'a time of three digits is no MicroTime': async ({ cluster, namespace }) => {
    const spec = { holderIdentity: 'n1', renewTime: new Date(0).toISOString() };
    const lease = { metadata: { namespace, name: 'three-digits' }, spec };
    const refused = (await error(cluster.create(leases, lease))) as { status?: number };
    assert.equal(refused.status, 400);
  },

  'events are taken, and their count grows': async ({ cluster, namespace, shop }) => {
    const { metadata } = await cluster.create(services, service(shop));
    const { uid = '' } = metadata;
    const dropped: unknown[] = [];
    const recorder = new EventRecorder({
      cluster,
      clock,
      random: Math.random,
      controller: 'purelb-allocator',
      instance: 'contract',
      onDropped: (_, why) => dropped.push(why),
    });
    const wish = {
      regarding: { apiVersion: 'v1', kind: 'Service', ...shop, uid },
      type: 'Warning',
      reason: 'AllocationFailed',
      action: 'Allocate',
      note: 'ü'.repeat(2_000),
    } as const;
    recorder.record(wish);
    await moment();
    recorder.record(wish);
    recorder.record(wish);
    await recorder.stop(5_000);
    assert.deepEqual(dropped, []);
    const { items } = await listAll((pageSize) => cluster.list(events, { namespace, pageSize }));
    assert.deepEqual(
      items.map(({ reason, type, regarding, series }) => [
        reason,
        type,
        regarding.name,
        series?.count,
      ]),
      [['AllocationFailed', 'Warning', 'shop', 3]],
    );
  },

  'leadership passes within a second of a clean stop': async ({ cluster, namespace }) => {
    const ref = { namespace, name: 'purelb-allocator' };
    const candidate = (identity: string) => {
      const options = { cluster, clock, random: Math.random, ref, identity };
      const elector = new Elector({ ...options, durationMs: 15_000 });
      const controller = new AbortController();
      const leading = Promise.withResolvers<number>();
      const running = elector.run(controller.signal, async (leadership) => {
        leading.resolve(clock.monotonic());
        await new Promise((resolve) => leadership.addEventListener('abort', resolve));
      });
      const stop = async () => {
        controller.abort();
        await running;
      };
      return { leading: leading.promise, stop };
    };
    const first = candidate('first');
    await first.leading;
    const second = candidate('second');
    await moment();
    const stoppedAt = clock.monotonic();
    await first.stop();
    const tookMs = (await second.leading) - stoppedAt;
    await second.stop();
    assert.ok(tookMs < 1_000, `${tookMs} ms`);
  },

  'a thousand calls at once are all answered': async ({ cluster, namespace }) => {
    const calls = Array.from({ length: 1_000 }, () => cluster.get(namespaces, { name: namespace }));
    const answers = await Promise.all(calls);
    assert.equal(answers.length, 1_000);
  },
};
