/** Many objects: lists and watches. */

import assert from 'node:assert/strict';
import type { KubeObject } from '../model/kube-object.ts';
import type { Cluster, ListPage, WatchOptions } from './cluster.ts';
import {
  type Cases,
  clock,
  freshRoom,
  moment,
  type Room,
  service,
} from './cluster-room.contract.ts';
import { listAll } from './list-pages.ts';
import { mergePatch } from './patch.ts';
import { services } from './resources.ts';
import type { WatchEvent } from './watch-event.ts';

export const listCases: Cases = {
  'a list comes in pages of one version': async ({ cluster, namespace }) => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await cluster.create(services, service({ namespace, name }));
    const pages: ListPage<KubeObject>[] = [];
    for await (const page of cluster.list(services, { namespace, pageSize: 2 })) pages.push(page);
    const found = pages.map(({ items }) => items.map(({ metadata }) => metadata.name));
    assert.deepEqual(found, [['a', 'b'], ['c', 'd'], ['e']]);
    assert.equal(new Set(pages.map(({ version }) => version)).size, 1);
    const [first] = pages[0]?.items ?? [];
    assert.deepEqual(first, await cluster.get(services, { namespace, name: 'a' }));
  },

  'pages show the state of the first, whatever changes meanwhile': async ({
    cluster,
    namespace,
  }) => {
    for (const name of ['a', 'b', 'c'])
      await cluster.create(services, service({ namespace, name }));
    const found: string[] = [];
    for await (const { items } of cluster.list(services, { namespace, pageSize: 1 })) {
      found.push(...items.map(({ metadata }) => metadata.name));
      if (found.length === 1) {
        await cluster.delete(services, { namespace, name: 'b' });
        await cluster.create(services, service({ namespace, name: 'aa' }));
      }
    }
    assert.deepEqual(found, ['a', 'b', 'c']);
  },

  'labels, names and namespaces select': async ({ cluster, namespace }) => {
    const labelled = (name: string, tier: string) =>
      service({ namespace, name }, { metadata: { name, namespace, labels: { tier } } });
    await cluster.create(services, labelled('a', 'front'));
    await cluster.create(services, labelled('b', 'back'));
    const names = async (selection: object) => {
      const { items } = await listAll((pageSize) =>
        cluster.list(services, { ...selection, pageSize }),
      );
      return items
        .filter(({ metadata }) => metadata.namespace === namespace)
        .map(({ metadata }) => metadata.name);
    };
    assert.deepEqual(await names({}), ['a', 'b']);
    assert.deepEqual(await names({ namespace, labelSelector: 'tier=front' }), ['a']);
    assert.deepEqual(await names({ namespace, labelSelector: 'tier in (front,back)' }), ['a', 'b']);
    assert.deepEqual(await names({ namespace, labelSelector: '!tier' }), []);
    assert.deepEqual(await names({ namespace, fieldSelector: 'metadata.name=b' }), ['b']);
  },
};

const seenEnough = new Error('enough');

/** Reads a watch, as `TYPE name`, until `enough` has come or the server ends it. */
async function collect(
  cluster: Cluster,
  options: Partial<WatchOptions<KubeObject>>,
  enough: (lines: readonly string[]) => boolean,
): Promise<readonly string[]> {
  const lines: string[] = [];
  try {
    await cluster.watch(services, { ...usual, ...options }, (events) => {
      lines.push(...events.map(describeEvent));
      if (enough(lines)) throw seenEnough;
    });
  } catch (reason) {
    if (reason !== seenEnough) throw reason;
  }
  return lines;
}

function describeEvent(event: WatchEvent<KubeObject>): string {
  if (event.type === 'ERROR') return `ERROR ${event.error.status}`;
  if (event.type !== 'BOOKMARK') return `${event.type} ${event.object.metadata.name}`;
  return event.isInitialEnd ? 'BOOKMARK end' : 'BOOKMARK';
}

const usual = { timeoutSeconds: 20, silenceMs: 60_000 };

async function versionNow({ cluster, namespace }: Room): Promise<string> {
  const { version } = await listAll((pageSize) => cluster.list(services, { namespace, pageSize }));
  return version;
}

export const bookmarkBeforeTheEnd = 'a bookmark before the end of a watch says how far it got';

export const watchCases: Cases = {
  'a watch tells every change after its version, in order': async (room) => {
    const { cluster, namespace, shop } = room;
    await cluster.create(services, service({ namespace, name: 'before' }));
    const version = await versionNow(room);
    await cluster.create(services, service(shop));
    await cluster.patch(services, shop, mergePatch({ metadata: { labels: { a: 'b' } } }));
    await cluster.delete(services, shop);
    const lines = await collect(cluster, { namespace, version }, ({ length }) => length >= 3);
    assert.deepEqual(lines, ['ADDED shop', 'MODIFIED shop', 'DELETED shop']);
  },

  'an object that leaves or enters a selection is told as deleted or added': async (room) => {
    const { cluster, namespace, shop } = room;
    const version = await versionNow(room);
    const label = (tier: string) => mergePatch({ metadata: { labels: { tier } } });
    await cluster.create(services, service(shop));
    await cluster.patch(services, shop, label('front'));
    await cluster.patch(services, shop, label('back'));
    const labelSelector = 'tier=front';
    const selection = { namespace, version, labelSelector };
    assert.deepEqual(await collect(cluster, selection, ({ length }) => length >= 2), [
      'ADDED shop',
      'DELETED shop',
    ]);
  },

  'initial events come first, with a bookmark at their end': async ({
    cluster,
    namespace,
    shop,
  }) => {
    for (const name of ['a', 'b']) await cluster.create(services, service({ namespace, name }));
    let isChanged = false;
    const lines = await collect(cluster, { namespace, isWithInitialEvents: true }, (seen) => {
      if (seen.includes('BOOKMARK end') && !isChanged) {
        isChanged = true;
        void cluster.create(services, service(shop));
      }
      return seen.includes('ADDED shop');
    });
    assert.deepEqual([...lines.slice(0, 2)].sort(), ['ADDED a', 'ADDED b']);
    assert.deepEqual(lines.slice(2), ['BOOKMARK end', 'ADDED shop']);
  },

  'a watch ends in good order when its time is over': async (room) => {
    const { cluster, namespace } = room;
    const version = await versionNow(room);
    const startedAt = clock.monotonic();
    await collect(cluster, { timeoutSeconds: 2, namespace, version }, () => false);
    const lastedMs = clock.monotonic() - startedAt;
    assert.ok(lastedMs > 1_000 && lastedMs < 6_000, `${lastedMs} ms`);
  },

  [bookmarkBeforeTheEnd]: async (room) => {
    const { cluster, namespace } = room;
    const version = await versionNow(room);
    const reading = collect(cluster, { timeoutSeconds: 5, namespace, version }, () => false);
    await moment();
    const elsewhere = await freshRoom(cluster, room.config);
    await cluster.create(services, service(elsewhere.shop));
    assert.deepEqual([...new Set(await reading)], ['BOOKMARK']);
  },

  'a watch can be taken back at any time': async (room) => {
    const { cluster, namespace } = room;
    const version = await versionNow(room);
    const controller = new AbortController();
    const { signal } = controller;
    const reading = collect(cluster, { namespace, version, signal }, () => false);
    setImmediate(() => controller.abort(new Error('enough')));
    await assert.rejects(reading, /enough/);
  },
};
