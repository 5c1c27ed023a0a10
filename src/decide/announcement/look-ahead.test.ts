import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../../model/ip.ts';
import type { Pool } from '../../model/pool.ts';
import { Places } from '../allocation/place.ts';
import { upcomingAddresses } from '../allocation/upcoming-addresses.ts';
import { renewLookMs } from './advance-look.ts';
import { planLookAhead } from './look-ahead.ts';
import { checkedGroup, localGroup, service } from './pool.fixture.ts';
import { calm, now, type SnapshotSpec, snapshotOf, usualKernel } from './snapshot.fixture.ts';
import type { Look } from './who-holds.ts';
import { macOfNode } from './wire.fixture.ts';

const samples = [
  { family: 'ipv4', first: '192.0.2.100' },
  { family: 'ipv6', first: '2001:db8::100' },
] as const;

const stranger = macOfNode('x');

function upcoming(pool: Pool, family: 'ipv4' | 'ipv6', count = 8) {
  const places = new Places({ pools: [pool], byName: new Map(), recorded: new Map() });
  return upcomingAddresses(pool, places.rangesOf(pool, family), count);
}

for (const { family, first } of samples) {
  const ip = ipOf(first);
  const plan = (spec: SnapshotSpec = {}, pool: Pool = checkedGroup, count?: number) =>
    planLookAhead(snapshotOf({ pools: [pool], ...spec }), upcoming(pool, family, count));
  const alone = (spec: SnapshotSpec = {}, pool?: Pool) => plan({ nodes: ['a'], ...spec }, pool, 1);
  const looked = (more: Partial<Look> = {}, of: Ip = ip): [Ip, Look] => [
    of,
    { link: 'eth0', sentAt: [now], answers: [], isDeaf: false, isAhead: true, ...more },
  ];

  test(`${family}: each of the next addresses is asked for by one node, the one that would own it`, () => {
    const asked = ['a', 'b', 'c'].flatMap((me) =>
      plan({ electorate: { me } }).asks.map((ask) => ask.ip),
    );
    assert.deepEqual(
      asked.toSorted(),
      upcoming(checkedGroup, family).map((each) => each.ip),
    );
  });

  test(`${family}: questions are looks in advance, to everyone on the link`, () => {
    const ask = { ip, link: 'eth0', isFirst: true, to: [], isAhead: true };
    assert.deepEqual(alone().asks, [ask]);
  });

  test(`${family}: silence is asked about again only when it is about to count no more`, () => {
    const at = (age: number) =>
      alone({ wire: { looks: new Map([looked({ sentAt: [now - age] })]) } });
    assert.deepEqual([at(100).asks, at(100).wakeAt], [[], now - 100 + renewLookMs]);
    assert.equal(at(renewLookMs).asks.length, 1);
  });

  test(`${family}: a host that answers for it, and for nothing else, is a conflict`, () => {
    const sentAt = [0, 1, 2, 3, 4, 5].map((round) => now - 700 + round * 100);
    const answers = sentAt.map((each) => ({ mac: stranger, at: each + 1 }));
    const controls = ends(family).map((end) => looked({ sentAt: sentAt.slice(1) }, end));
    const looks = new Map([looked({ sentAt, answers }), ...controls]);
    assert.deepEqual(alone({ wire: { looks } }).conflicts, [{ ip, mac: stranger }]);
    const routed = [...controls].map(([end, look]): [Ip, Look] => [end, { ...look, answers }]);
    const proxied = alone({ wire: { looks: new Map([looked({ sentAt, answers }), ...routed]) } });
    assert.deepEqual([proxied.conflicts, proxied.proxies], [[], [stranger]]);
  });

  test(`${family}: without addresses to test a proxy with, nobody is accused`, () => {
    const services = upcoming(checkedGroup, family, 500).map((each) =>
      service(`s${each.value}`, [each.ip]),
    );
    const answers = [{ mac: stranger, at: now - 5 }];
    const looks = new Map([looked({ sentAt: [now - 10], answers })]);
    assert.deepEqual(alone({ services: services.slice(1), wire: { looks } }).conflicts, []);
  });

  test(`${family}: an address that was found in use rests`, () => {
    const conflicts = new Map([[ip, { mac: stranger, at: now - 1000 }]]);
    assert.deepEqual(alone({ wire: { conflicts } }).asks, []);
  });

  test(`${family}: nothing is asked where the wire is not to be asked, or says nothing`, () => {
    assert.deepEqual(alone({}, localGroup).asks, [], 'conflictCheck Off');
    assert.deepEqual(alone({ more: { self: { ...calm, isStale: true } } }).asks, []);
    assert.deepEqual(alone({ electorate: { isLeaving: true } }).asks, []);
    assert.deepEqual(alone({ kernel: { ...usualKernel, addresses: [] } }).asks, [], 'other subnet');
  });

  test(`${family}: a former owner that still answers is given time`, () => {
    const answers = [{ mac: macOfNode('b'), at: now - 999 }];
    const looks = new Map([looked({ sentAt: [now - 1000], answers })]);
    const wire = { looks, claims: new Map([[ip, new Set(['b'])]]) };
    const electorate = { me: 'a', isLeaving: false };
    const spec = { nodes: ['a', 'b'], electorate, wire };
    const { asks, wakeAt } = plan(spec, checkedGroup, 1);
    assert.deepEqual(asks, []);
    assert.ok(wakeAt > now + 1000);
  });

  test(`${family}: a look that is renewed to the very moment does not wake its node again and again`, () => {
    // Their difference is a hair less than the time after which a look is renewed; their sum is exact.
    const [sentAt, at] = [127157.45629861271, 147157.4562986127];
    assert.ok(at - sentAt < renewLookMs && sentAt + renewLookMs === at);
    const looks = new Map([looked({ sentAt: [sentAt] })]);
    const { asks, wakeAt } = alone({ wire: { looks }, more: { now: at } });
    assert.ok(asks.length > 0 || wakeAt > at);
  });

  test(`${family}: one node asks at most 64 questions at a time`, () => {
    const wide: Pool = { ...checkedGroup };
    const many = upcoming(wide, family, 40);
    const all = planLookAhead(snapshotOf({ nodes: ['a'], pools: [wide] }), [...many, ...many]);
    assert.deepEqual([all.asks.length, all.wakeAt], [64, now + 100]);
  });
}

function ends(family: 'ipv4' | 'ipv6'): readonly Ip[] {
  const texts = { ipv4: ['192.0.2.139', '192.0.2.138'], ipv6: ['2001:db8::139', '2001:db8::138'] };
  return texts[family].map(ipOf);
}
