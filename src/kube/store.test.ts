import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../model/kube-object.ts';
import { Store } from './store.ts';

function service(name: string, version: number, uid = `uid-of-${name}`): KubeObject {
  return { metadata: { name, namespace: 'default', uid, resourceVersion: String(version) } };
}

function stateOf(objects: readonly KubeObject[]): Map<string, KubeObject> {
  return new Map(objects.map((object) => [`default/${object.metadata.name}`, object]));
}

/** The store at position 10 with `a` at version 5, and what its listeners hear from now on. */
function startedStore() {
  const store = new Store();
  store.replace(stateOf([service('a', 5)]), '10', store.checkpoint());
  const heard: string[] = [];
  store.subscribe((key, before, after) => {
    const version = (object?: KubeObject) => object?.metadata.resourceVersion ?? 'none';
    heard.push(`${key} ${version(before)}→${version(after)}`);
  });
  return { store, heard };
}

const versionIn = (store: Store, key = 'default/a') => store.get(key)?.metadata.resourceVersion;

test('our own write is visible at once, and its event is no news', () => {
  const { store, heard } = startedStore();
  store.put(service('a', 12));
  assert.deepEqual([versionIn(store), store.unconfirmed], ['12', 1]);
  store.tellPresent(service('a', 12));
  assert.deepEqual([versionIn(store), store.unconfirmed], ['12', 0]);
  assert.deepEqual(heard, ['default/a 5→12']);
});

test('an older event that comes after our write does not hide it', () => {
  const { store, heard } = startedStore();
  store.put(service('a', 12));
  store.tellPresent(service('a', 11));
  assert.equal(versionIn(store), '12');
  store.tellPresent(service('a', 12));
  store.tellPresent(service('a', 13));
  assert.deepEqual(heard, ['default/a 5→12', 'default/a 12→13']);
});

test('an answer that comes after its event and newer ones changes nothing', () => {
  const { store } = startedStore();
  store.tellPresent(service('a', 12));
  store.tellPresent(service('a', 13));
  store.put(service('a', 12));
  assert.deepEqual([versionIn(store), store.unconfirmed], ['13', 0]);
  store.tellAbsent(service('a', 14));
  store.put(service('a', 13));
  assert.equal(versionIn(store), undefined, 'what was deleted since does not come back');
});

test('of two answers that overtook each other the newer stays', () => {
  const { store } = startedStore();
  store.put(service('a', 13));
  store.put(service('a', 12));
  assert.equal(versionIn(store), '13');
});

test('a write of which the watch never tells is let go when the watch has passed it', () => {
  const { store } = startedStore();
  store.put(service('unselected', 12));
  assert.equal(store.size, 2);
  store.tellPosition('12');
  assert.deepEqual([store.size, store.unconfirmed], [1, 0]);
});

test('our own removal is visible at once, and older events do not undo it', () => {
  const { store, heard } = startedStore();
  store.remove(service('a', 5));
  assert.deepEqual([versionIn(store), store.size], [undefined, 0]);
  store.tellPresent(service('a', 11));
  assert.equal(versionIn(store), undefined);
  store.tellAbsent(service('a', 12));
  assert.deepEqual([store.unconfirmed, heard], [0, ['default/a 5→none']]);
  store.tellPresent(service('a', 13, 'another'));
  assert.equal(versionIn(store), '13');
});

test('a removal of what is already another object changes nothing', () => {
  const { store } = startedStore();
  store.tellPresent(service('a', 12, 'another'));
  store.remove(service('a', 5));
  assert.equal(versionIn(store), '12');
});

test('a list asked for before our write does not hide it; one asked for after it does', () => {
  const { store } = startedStore();
  const before = store.checkpoint();
  store.put(service('a', 12));
  store.replace(stateOf([service('a', 5)]), '11', before);
  assert.equal(versionIn(store), '12');
  // A server restored from a backup counts anew.
  store.replace(stateOf([service('a', 3)]), '4', store.checkpoint());
  assert.deepEqual([versionIn(store), store.unconfirmed], ['3', 0]);
});

test('versions that cannot be compared make our writes wait for their event', () => {
  const store = new Store();
  store.replace(stateOf([]), 'opaque-1', store.checkpoint());
  store.put({ metadata: { name: 'a', namespace: 'default', resourceVersion: 'opaque-2' } });
  assert.equal(store.size, 0);
});

test('a relist that finds nothing new wakes nobody and keeps the objects in hand', () => {
  const { store, heard } = startedStore();
  const known = store.get('default/a');
  const same = store.findSame(service('a', 5));
  assert.equal(same, known);
  store.replace(stateOf([service('a', 5)]), '20', store.checkpoint());
  assert.deepEqual(heard, []);
});

test('a listener that throws is reported and stops nobody', () => {
  const errors: unknown[] = [];
  const store = new Store({ onListenerError: (error) => errors.push(error) });
  const heard: string[] = [];
  store.subscribe(() => {
    throw new Error('bad listener');
  });
  const unsubscribe = store.subscribe((key) => heard.push(key));
  store.tellPresent(service('a', 1));
  unsubscribe();
  store.tellPresent(service('a', 2));
  assert.deepEqual([heard, errors.length, versionIn(store)], [['default/a'], 2, '2']);
});

test('the projection applies to our own writes too', () => {
  const store = new Store({
    project: ({ metadata: { name, namespace, uid, resourceVersion } }) => ({
      metadata: {
        name,
        ...(namespace && { namespace }),
        ...(uid && { uid }),
        ...(resourceVersion && { resourceVersion }),
      },
    }),
  });
  store.put({ ...service('a', 3), spec: { large: true } });
  assert.deepEqual(store.get('default/a'), service('a', 3));
});

interface Commit {
  readonly key: string;
  /** Undefined: deleted. */
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly version: number;
}

/** A server with its history, a watch that lags behind it, and answers and lists that are on their way. */
class World {
  readonly store = new Store();
  readonly history: Commit[] = [];
  readonly answers: Commit[] = [];
  readonly lastVisible = new Map<string, number>();
  readonly acknowledged = new Map<string, number>();
  #told = 0;
  #list: { readonly checkpoint: number; readonly askedAt: number } | undefined;
  #uids = 0;

  constructor() {
    this.store.replace(new Map(), '1', 0);
  }

  get version(): number {
    return this.history.at(-1)?.version ?? 1;
  }

  current(key: string, upTo = this.history.length): KubeObject | undefined {
    return this.history.slice(0, upTo).findLast((commit) => commit.key === key)?.object;
  }

  commit(key: string, isDelete: boolean, isOurs: boolean): void {
    const before = this.current(`default/${key}`);
    if (isDelete && before === undefined) return;
    const version = this.version + 1;
    const uid = before?.metadata.uid ?? `uid-${++this.#uids}`;
    const object = isDelete ? undefined : service(key, version, uid);
    const commit = { key: `default/${key}`, object, before, version };
    this.history.push(commit);
    if (isOurs) this.answers.push(commit);
  }

  answer(pick: number): void {
    const [commit] = this.answers.splice(pick % (this.answers.length || 1), 1);
    if (commit === undefined) return;
    const { key, object, before, version } = commit;
    if (object !== undefined) this.store.put(object);
    else if (before !== undefined) this.store.remove(before);
    // A removal is acknowledged without a version; one whose object is not known here yet cannot be shown.
    if (object !== undefined)
      this.acknowledged.set(key, Math.max(version, this.acknowledged.get(key) ?? 0));
  }

  tell(): void {
    const commit = this.history[this.#told];
    if (commit === undefined || this.#list !== undefined) return;
    this.#told += 1;
    if (commit.object !== undefined) this.store.tellPresent(commit.object);
    else if (commit.before !== undefined) {
      const { name, uid } = commit.before.metadata;
      this.store.tellAbsent(service(name, commit.version, uid));
    }
  }

  askList(): void {
    this.#list ??= { checkpoint: this.store.checkpoint(), askedAt: this.history.length };
  }

  /** The list shows any state between asking and now. */
  receiveList(pick: number): void {
    if (this.#list === undefined) return;
    const { checkpoint, askedAt } = this.#list;
    const upTo = askedAt + (pick % (this.history.length - askedAt + 1));
    const state = new Map<string, KubeObject>();
    for (const { key } of this.history) {
      const object = this.current(key, upTo);
      if (object !== undefined) state.set(key, object);
    }
    this.#list = undefined;
    this.#told = Math.max(upTo, 0);
    const version = this.history[upTo - 1]?.version ?? 1;
    this.store.replace(state, String(version), checkpoint);
  }

  /** Nobody ever sees an object go back in time, nor a write of ours hidden after it was acknowledged. */
  check(): void {
    for (const key of ['default/a', 'default/b']) {
      const last = this.lastVisible.get(key) ?? 0;
      const visible = Number(this.store.get(key)?.metadata.resourceVersion ?? 0);
      // What has gone may come back only as something newer.
      if (visible === 0) this.lastVisible.set(key, Math.floor(last) + 0.5);
      if (visible === 0) continue;
      assert.ok(visible >= last, `${key} went back to ${visible}`);
      assert.ok(visible >= (this.acknowledged.get(key) ?? 0), `${key}: our write was hidden`);
      this.lastVisible.set(key, visible);
    }
  }

  drain(): void {
    this.receiveList(0);
    while (this.#told < this.history.length) this.tell();
    while (this.answers.length > 0) this.answer(0);
    this.store.tellPosition(String(this.version));
  }
}

type Step = (world: World) => void;

const key = fc.constantFrom('a', 'b');
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(key, fc.nat(3), fc.boolean()).map(
      ([name, chance, isOurs]): Step =>
        (world) =>
          world.commit(name, chance === 0, isOurs),
    ),
  },
  { weight: 4, arbitrary: fc.constant<Step>((world) => world.tell()) },
  {
    weight: 3,
    arbitrary: fc.nat(5).map(
      (pick): Step =>
        (world) =>
          world.answer(pick),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>((world) => world.askList()) },
  {
    weight: 1,
    arbitrary: fc.nat(9).map(
      (pick): Step =>
        (world) =>
          world.receiveList(pick),
    ),
  },
);

test('in any order of events, answers, removals and lists nobody goes back, and the end is the truth', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 80, size: 'max' }), (history) => {
      const world = new World();
      for (const step of history) {
        step(world);
        world.check();
      }
      world.drain();
      for (const name of ['default/a', 'default/b']) {
        assert.deepEqual(world.store.get(name), world.current(name), name);
      }
      assert.equal(world.store.unconfirmed, 0);
    }),
    { numRuns: 2_000 },
  );
});
