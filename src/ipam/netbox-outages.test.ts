import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Fate } from '../../lab/netbox/memory-transport.ts';
import type { Trouble } from '../../lab/netbox/netbox.ts';
import type { NetboxAnswer } from '../../lab/netbox/netbox-request.ts';
import { tenant } from '../../lab/netbox/set-up.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { NetboxRoom, never } from './netbox-room.fixture.ts';
import type { RestRequest } from './rest-transport.ts';

const slot = {
  pool: 'lb',
  owner: 'u',
  family: 'ipv4',
  service: 'a/1',
  sharingKey: undefined,
} as const;
const order = { ...slot, wish: undefined };
const prefixes = ['198.51.100.0/29'];

/** Time passes until the promise is settled. */
async function finish<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let isDone = false;
  void promise
    .finally(() => {
      isDone = true;
    })
    .catch(() => {});
  for (let turns = 0; !isDone && turns < 1_000; turns += 1) await clock.advance(1_000);
  return promise;
}

/** What allocate says while it lasts, and what is on record after the source was asked again when it was over. */
async function suffer(
  make: (room: NetboxRoom) => { fateOf?: (request: RestRequest) => Fate; mend: () => void },
) {
  const clock = new ManualClock();
  const room = new NetboxRoom({ prefixes, clock });
  const { fateOf, mend } = make(room);
  const { source, transport } = room.open(fateOf === undefined ? {} : { fateOf });
  const during = await finish(clock, source.allocate(order, never));
  const requests = transport.requests.length;
  mend();
  const after = await finish(clock, source.allocate(order, never));
  assert.ok(after.kind === 'address', JSON.stringify(after));
  await clock.advance(60_000);
  assert.equal(room.records().length, 1, room.records().join('\n'));
  return { during: during.kind === 'failure' ? during.reason : during.kind, requests };
}

const isWrite = ({ method }: RestRequest) => method !== 'GET';

test('facts 3.7: whatever fails, one address is recorded in the end', async (t) => {
  const troubles: readonly Trouble[] = ['redis', 'database', 'stale-connection', 'read-only'];
  for (const trouble of troubles) {
    const { during, requests } = await suffer((room) => {
      room.netbox.trouble = trouble;
      return {
        mend: () => {
          room.netbox.trouble = undefined;
        },
      };
    });
    t.diagnostic(`${trouble}: ${during} after ${requests} requests`);
    assert.match(during, /^(unavailable|ambiguous)$/);
  }
});

test('facts 3.7: requests and answers that are lost, late or refused', async (t) => {
  const rows: readonly (readonly [string, Fate, string])[] = [
    ['connection refused', { kind: 'refused' }, 'unavailable'],
    ['request lost', { kind: 'lost' }, 'ambiguous'],
    ['carried out, answer lost', { kind: 'unanswered' }, 'address'],
    ['carried out after 30 s', { kind: 'late', afterMs: 30_000 }, 'ambiguous'],
    ['carried out after 2 s', { kind: 'late', afterMs: 2_000 }, 'address'],
    ['502 from a proxy', answer(page(502)), 'address'],
    ['504 from a proxy', answer(page(504)), 'address'],
  ];
  for (const [name, fate, wanted] of rows) {
    let isOver = false;
    const { during, requests } = await suffer(() => ({
      fateOf: (request) => (isOver || !isWrite(request) ? { kind: 'served' } : fate),
      mend: () => {
        isOver = true;
      },
    }));
    t.diagnostic(`${name}: ${during} after ${requests} requests`);
    assert.equal(during, wanted, name);
  }
});

function answer(fixed: NetboxAnswer): Fate {
  return { kind: 'answer', change: () => fixed };
}

function page(status: number): NetboxAnswer {
  return { status, headers: { 'content-type': 'text/html' }, body: '<html></html>' };
}

test('a slot whose record the token cannot see is told, and not asked for for ever', async () => {
  const clock = new ManualClock();
  const room = new NetboxRoom({ prefixes, clock });
  const fields = {
    custom_fields: { purelb_slot: 'cluster-uid/lb/u/4', purelb_cluster: 'cluster-uid' },
  };
  room.admin('POST', 'ipam/ip-addresses/', { address: '192.0.2.9/32', ...fields });
  const { source, transport } = room.open();
  const outcome = await finish(clock, source.allocate(order, never));
  assert.ok(outcome.kind === 'failure' && outcome.reason === 'conflict');
  assert.match(outcome.message, /that the token cannot see/);
  assert.ok(transport.requests.length < 20);
});

test('a release that is late does not hit whoever shares the address meanwhile', async () => {
  const clock = new ManualClock();
  const room = new NetboxRoom({ prefixes, clock });
  const shared = { ...order, owner: 'share::k', sharingKey: 'k' };
  const { source } = room.open();
  const first = await source.allocate(shared, never);
  const fateOf = ({ method }: RestRequest): Fate =>
    method === 'DELETE' ? { kind: 'late', afterMs: 5_000 } : { kind: 'served' };
  const dying = new AbortController();
  const leaving = room.open({ fateOf }).source.release(shared, dying.signal);
  await clock.advance(100);
  dying.abort(new Error('killed'));
  await assert.rejects(leaving, /killed/);
  assert.deepEqual(await source.allocate({ ...shared, service: 'a/2' }, never), first);
  await clock.advance(10_000);
  assert.equal(room.records().length, 1, 'the condition of the late request no longer holds');
  assert.deepEqual(await source.release(shared, never), { kind: 'released' });
  assert.equal(room.records().length, 0);
});

test('records that are not ours are never written, whatever filters find', async () => {
  const clock = new ManualClock();
  const room = new NetboxRoom({ prefixes, clock });
  const other = { custom_fields: { purelb_slot: 'other/lb/u/4', purelb_cluster: 'other' } };
  room.admin('POST', 'ipam/ip-addresses/', {
    address: '198.51.100.5/29',
    tenant: { slug: tenant },
    ...other,
  });
  room.admin('PATCH', 'extras/custom-fields/1/', { filter_logic: 'loose' });
  const { source } = room.open();
  const before = room.records();
  assert.deepEqual(await source.find(slot, never), { kind: 'none' });
  assert.deepEqual(await source.release(slot, never), { kind: 'released' });
  const listed = await source.list(never);
  assert.ok(listed.kind === 'records');
  assert.deepEqual([listed.records, room.records()], [[], before]);
});

test('a reserved address that is wished for is claimed, and reserved again afterwards', async () => {
  const room = new NetboxRoom({ prefixes });
  room.reserve('198.51.100.6/29');
  const { source } = room.open();
  const wish = '198.51.100.6' as const;
  const outcome = await source.allocate({ ...order, wish: wish as never }, never);
  assert.ok(outcome.kind === 'address' && outcome.address.ip === wish);
  assert.deepEqual(room.records(), ['198.51.100.6/29 active cluster-uid/lb/u/4']);
  await source.release(slot, never);
  assert.deepEqual(room.records(), ['198.51.100.6/29 reserved -']);
});

test('hostile and broken answers end in a value, and never in someone else\u2019s record', async () => {
  const before = () => {
    const clock = new ManualClock();
    const room = new NetboxRoom({ prefixes, clock });
    room.admin('POST', 'ipam/ip-addresses/', {
      address: '198.51.100.5/29',
      description: 'a router',
    });
    return { clock, room };
  };
  const anyAnswer = fc.record({
    status: fc.constantFrom(200, 201, 204, 301, 400, 403, 404, 409, 412, 429, 500, 503),
    type: fc.constantFrom('application/json', 'text/html', ''),
    body: fc.oneof(
      fc.json(),
      fc.string(),
      fc.constant('{"count":1,"results":[{"id":1}]}'),
      anyRecord(),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyAnswer, { minLength: 1, maxLength: 12 }), async (answers) => {
      const { clock, room } = before();
      let index = 0;
      const fateOf = (): Fate => {
        const next = answers[index++];
        if (next === undefined) return { kind: 'served' };
        const { status, body, type } = next;
        return {
          kind: 'answer',
          change: () => ({ status, body, headers: { 'content-type': type } }),
        };
      };
      const { source } = room.open({ fateOf });
      for (const run of [
        () => source.allocate(order, never),
        () => source.release(slot, never),
        () => source.list(never),
        () => source.check(never),
      ]) {
        const outcome = await finish<{ readonly kind: string }>(clock, run());
        assert.equal(typeof outcome.kind, 'string');
      }
      const router = room.netbox.tables.get('ipam/ip-addresses', 1);
      assert.deepEqual(
        [router?.fields['address'], router?.fields['description']],
        ['198.51.100.5/29', 'a router'],
      );
    }),
    { numRuns: 200 },
  );
});

/** Records that look like ours, and point at someone else's. */
function anyRecord() {
  return fc
    .record({
      id: fc.constantFrom(1, 2, -1, 1.5, '1'),
      address: fc.constantFrom('198.51.100.5/29', '198.51.100.5', 'x', '203.0.113.1/24'),
      status: fc.constantFrom({ value: 'active' }, { value: 'reserved' }, 'active'),
      custom_fields: fc.constantFrom(
        {},
        { purelb_slot: 'cluster-uid/lb/u/4', purelb_cluster: 'cluster-uid' },
      ),
    })
    .chain((record) =>
      fc.constantFrom(JSON.stringify(record), JSON.stringify({ count: 1, results: [record] })),
    );
}
