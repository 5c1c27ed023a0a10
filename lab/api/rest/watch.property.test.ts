import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inProcess } from '../api.fixture.ts';
import { type JsonObject, listAt, textAt } from '../json.ts';

type Step =
  | { readonly kind: 'create'; readonly name: string }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'change'; readonly name: string; readonly value: string }
  | { readonly kind: 'label'; readonly name: string; readonly app: string | null };

const name = fc.constantFrom('a', 'b', 'c');
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('create', 'delete'), name }),
    fc.record({ kind: fc.constant('change'), name, value: fc.constantFrom('1', '2') }),
    fc.record({ kind: fc.constant('label'), name, app: fc.constantFrom('x', 'y', null) }),
  ) as fc.Arbitrary<Step>,
  { minLength: 1, maxLength: 30 },
);

const configMaps = '/api/v1/namespaces/default/configmaps';
type Server = ReturnType<typeof inProcess>;

function take(server: Server, step: Step): void {
  const path = `${configMaps}/${step.name}`;
  if (step.kind === 'create') server.post(configMaps, { metadata: { name: step.name } });
  else if (step.kind === 'delete') server.remove(path);
  else if (step.kind === 'change') server.patch(path, { data: { value: step.value } });
  else server.patch(path, { metadata: { labels: { app: step.app } } });
}

/** Name → version, as a list shows it. */
function listed(server: Server, query = ''): Record<string, string> {
  const { body } = server.get(`${configMaps}?${query}`);
  return Object.fromEntries(
    listAt(body, 'items').map((item) => [
      textAt(item, 'metadata', 'name'),
      textAt(item, 'metadata', 'resourceVersion'),
    ]),
  );
}

function follow(
  state: Record<string, string>,
  events: readonly { type: string; object: JsonObject }[],
) {
  const result = { ...state };
  for (const { type, object } of events) {
    const known = textAt(object, 'metadata', 'name');
    if (type === 'ADDED') assert.equal(result[known], undefined, 'added only when absent');
    else assert.notEqual(result[known], undefined, `${type} only when present`);
    if (type === 'DELETED') delete result[known];
    else result[known] = textAt(object, 'metadata', 'resourceVersion');
  }
  return result;
}

function revisions(events: readonly { object: JsonObject }[]): readonly number[] {
  return events.map(({ object }) => Number(textAt(object, 'metadata', 'resourceVersion')));
}

for (const query of ['', 'labelSelector=app%3Dx']) {
  test(`a list and the watch from any later point give every later list (${query || 'all'})`, () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const server = inProcess();
        const states = [listed(server, query)];
        const points = [server.api.core.store.revision];
        for (const step of plan) {
          take(server, step);
          states.push(listed(server, query));
          points.push(server.api.core.store.revision);
        }
        for (const [index, point] of points.entries()) {
          const watch = server.watch(`${configMaps}?watch=1&resourceVersion=${point}&${query}`);
          assert.deepEqual(follow(states[index] ?? {}, watch.events), states.at(-1));
          watch.stop();
        }
        server.api.stop();
      }),
      { numRuns: 60 },
    );
  });
}

test('a live watch sees what a late one reads from history, in the same order', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const server = inProcess();
      const from = server.api.core.store.revision;
      const live = server.watch(`${configMaps}?watch=1&resourceVersion=${from}`);
      for (const step of plan) take(server, step);
      const late = server.watch(`${configMaps}?watch=1&resourceVersion=${from}`);
      assert.deepEqual(live.lines, late.lines);
      const seen = revisions(live.events);
      assert.deepEqual(
        seen,
        [...new Set(seen)].toSorted((left, right) => left - right),
      );
      server.api.stop();
    }),
    { numRuns: 60 },
  );
});

test('pages of any size show one state, whatever is written between them', () => {
  fc.assert(
    fc.property(steps, steps, fc.integer({ min: 1, max: 3 }), (before, between, limit) => {
      const server = inProcess();
      for (const step of before) take(server, step);
      const whole = listed(server);
      const pages: Record<string, string> = {};
      const writes = [...between];
      let token = '';
      do {
        const { body } = server.get(`${configMaps}?limit=${limit}&continue=${token}`);
        for (const item of listAt(body, 'items')) {
          pages[textAt(item, 'metadata', 'name')] = textAt(item, 'metadata', 'resourceVersion');
        }
        token = textAt(body, 'metadata', 'continue');
        const write = writes.shift();
        if (write !== undefined) take(server, write);
      } while (token !== '');
      assert.deepEqual(pages, whole);
      server.api.stop();
    }),
    { numRuns: 60 },
  );
});

test('compaction forgets the past and nothing else', () => {
  fc.assert(
    fc.property(steps, steps, (before, after) => {
      const server = inProcess();
      for (const step of before) take(server, step);
      const state = listed(server);
      const point = server.api.core.store.revision;
      server.api.core.store.compact();
      for (const step of after) take(server, step);
      const watch = server.watch(`${configMaps}?watch=1&resourceVersion=${point}`);
      assert.deepEqual(follow(state, watch.events), listed(server));
      const old = server.watch(`${configMaps}?watch=1&resourceVersion=${point - 1}`);
      assert.deepEqual(
        old.events.map(({ type, object }) => [type, object['code']]),
        [['ERROR', 410]],
      );
      assert.ok(old.isEnded);
      server.api.stop();
    }),
    { numRuns: 60 },
  );
});
