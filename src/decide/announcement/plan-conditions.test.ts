import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAnnouncing } from '../../model/announcing.ts';
import type { Ip } from '../../model/ip.ts';
import { familySamples } from './cluster.fixture.ts';
import { type ConditionFacts, type MissingSince, planConditions } from './plan-conditions.ts';
import { type ServiceSpec, service } from './pool.fixture.ts';
import { now, type SnapshotSpec, snapshotOf, wallNow } from './snapshot.fixture.ts';

const stamp = '2026-06-01T12:00:00Z';
const nothing: MissingSince = new Map();

for (const { family, vip } of familySamples) {
  const key = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';
  const web = (slots: string, more: ServiceSpec = {}, ips: readonly Ip[] = [vip]) =>
    service('web', ips, { ...more, annotations: { [key]: slots } });
  const mine = `a,eth0,${vip}`;
  const condition = (status: string, message: string, reason = 'Announced') => ({
    type: 'Announced',
    status,
    reason,
    message,
    lastTransitionTime: stamp,
  });
  const good = condition('True', `${vip} by a on eth0`);
  const plan = (
    about: ReturnType<typeof web>,
    more: Partial<ConditionFacts> = {},
    since = nothing,
    spec: SnapshotSpec = {},
  ) =>
    planConditions(
      {
        ...snapshotOf({ services: [about], ...spec }),
        decisions: new Map(),
        heldAt: new Set(),
        failures: new Map(),
        setbacks: new Map(),
        slots: new Map(),
        now,
        wallNow,
        ...more,
      },
      since,
    );
  const written = (...args: Parameters<typeof plan>) => [...plan(...args).conditions.values()];

  test(`${family}: the holder says that its Service is announced, once`, () => {
    assert.deepEqual(written(web(mine)), [good]);
    assert.deepEqual(written(web(mine, { conditions: [good] })), []);
    assert.deepEqual(written(web(`b,eth0,${vip}`)), []);
  });

  test(`${family}: who takes the address says so in the same breath`, () => {
    const slots = new Map([['shop/web', parseAnnouncing(mine)]]);
    assert.deepEqual(written(web(''), { slots }), [good]);
    const before = {
      ...good,
      message: `${vip} by b on eth0`,
      lastTransitionTime: '2026-05-01T00:00:00Z',
    };
    assert.deepEqual(
      written(web(`b,eth0,${vip}`, { conditions: [before] }), { slots }),
      [{ ...good, lastTransitionTime: '2026-05-01T00:00:00Z' }],
      'the time is that of the last change of status',
    );
  });

  test(`${family}: what is missing is said when it has lasted, by one node`, () => {
    const first = plan(web(''), {}, nothing, { nodes: ['a'] });
    assert.deepEqual([first.conditions.size, first.wakeAt], [0, now + 3000]);
    const later = { now: now + 3000 };
    const missing = condition('False', `${vip} is not announced: a is to do so`, 'Pending');
    const about = web('', { conditions: [good] });
    assert.deepEqual(written(about, later, first.missingSince, { nodes: ['a'] }), [missing]);
    const said = web('', { conditions: [missing] });
    assert.deepEqual(written(said, later, first.missingSince, { nodes: ['a'] }), []);
    const speakers = ['a', 'b', 'c'].filter((me) => {
      const spec = { electorate: { me } };
      return plan(about, { ...later, node: me }, first.missingSince, spec).conditions.size > 0;
    });
    assert.equal(speakers.length, 1);
  });

  test(`${family}: in a burst of new Services nobody says that they are pending before their turn comes`, () => {
    const crowd = Array.from({ length: 200 }, (_, index) => service(`web${index}`, [vip]));
    const spec = { nodes: ['a'], services: crowd };
    const first = plan(web(''), {}, nothing, spec);
    const after = (ms: number) => plan(web(''), { now: now + ms }, first.missingSince, spec);
    assert.deepEqual([after(3000).conditions.size, after(12_000).conditions.size], [0, 0]);
    assert.equal(after(12_000).wakeAt, now + 3000 + 199 * 50);
    assert.equal(after(13_000).conditions.size, 200);
    const huge = Array.from({ length: 5000 }, (_, index) => service(`web${index}`, [vip]));
    const last = plan(web(''), {}, nothing, { nodes: ['a'], services: huge });
    assert.equal(last.wakeAt, now + 30_000, 'there is an end to patience');
  });

  test(`${family}: an address that moves in time leaves no trace of it`, () => {
    const first = plan(web(''), {}, nothing, { nodes: ['a'] });
    const back = plan(web(mine, { conditions: [good] }), { now: now + 1000 }, first.missingSince);
    assert.deepEqual([back.conditions.size, back.missingSince.size, back.wakeAt], [0, 0, Infinity]);
  });

  test(`${family}: the condition goes with the last address, and not with the Service`, () => {
    const gone = web('', { conditions: [good] }, []);
    const spec = { nodes: ['a'] };
    assert.deepEqual(written(gone, {}, nothing, spec), [{ type: 'Announced', $patch: 'delete' }]);
    assert.deepEqual(written(web('', {}, []), {}, nothing, spec), []);
    const deletionTimestamp = stamp;
    assert.deepEqual(written(web(mine, { deletionTimestamp })), []);
    assert.deepEqual(written(web(mine, { spec: { type: 'ClusterIP' } })), []);
  });
}
