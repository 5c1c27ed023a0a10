import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterNode } from '../decide/announcement/cluster.fixture.ts';
import { service } from '../decide/announcement/pool.fixture.ts';
import { routeAnnotations } from '../model/annotations.ts';
import type { SpeakerChange } from '../model/speaker.ts';
import { BgpBench, surroundings } from './bgp-part.fixture.ts';

const first = '203.0.113.7/32 0.0.0.0';
const second = '203.0.113.8/32 0.0.0.0';

async function advertising(spec: object = {}): Promise<BgpBench> {
  const bench = new BgpBench();
  bench.part.note(surroundings);
  bench.configure(spec);
  await bench.place('add', '203.0.113.7/32');
  await bench.clock.advance(2_000);
  return bench;
}

const kinds = (changes: readonly SpeakerChange[]) => changes.map(({ kind }) => kind);

test('nothing is told to the daemon before the node is known, or without a configuration', async () => {
  await using bench = new BgpBench();
  bench.configure();
  await bench.clock.advance(5_000);
  assert.deepEqual(bench.speaker.carriedOut, []);
  bench.unconfigure();
  bench.part.note(surroundings);
  await bench.clock.advance(5_000);
  assert.deepEqual(bench.speaker.carriedOut, []);
});

test('policies are in force before routes, and routes before neighbours', async () => {
  await using bench = await advertising();
  const order = kinds(bench.speaker.carriedOut);
  assert.deepEqual(order, ['start', 'set-policies', 'set-paths', 'add-peer']);
  assert.deepEqual(await bench.paths(), [first]);
  assert.deepEqual(bench.conditions(), [
    'Ready=True ReconcileSuccess',
    'RouterIDResolved=True Resolved',
  ]);
});

test('kernel events change routes, and nothing else; ten quiet minutes change nothing', async () => {
  await using bench = await advertising();
  const before = bench.speaker.carriedOut.length;
  await bench.place('add', '203.0.113.8/32');
  await bench.clock.advance(200);
  assert.deepEqual(await bench.paths(), [first, second]);
  await bench.place('remove', '203.0.113.7/32');
  await bench.clock.advance(200);
  assert.deepEqual(await bench.paths(), [second]);
  await bench.clock.advance(600_000);
  const changes = bench.speaker.carriedOut.slice(before);
  assert.deepEqual(kinds(changes), ['set-paths', 'set-paths']);
});

test('an address is told before the daemon is read, and it is read once no more come', async () => {
  await using bench = await advertising();
  await bench.clock.advance(5_000);
  const readings = bench.speaker.readings;
  for (const last of [8, 9, 10]) {
    await bench.place('add', `203.0.113.${last}/32`);
    await bench.clock.advance(50);
    assert.equal(bench.speaker.carriedOut.at(-1)?.kind, 'set-paths');
  }
  assert.equal(bench.speaker.readings, readings);
  await bench.clock.advance(200);
  assert.ok(bench.speaker.readings > readings);
  assert.equal((await bench.paths()).length, 4);
});

test('a daemon that lost a route unseen has it again, whatever it was taken to have', async () => {
  await using bench = await advertising();
  await bench.clock.advance(5_000);
  bench.speaker.forget('203.0.113.7/32');
  await bench.place('add', '203.0.113.8/32');
  await bench.clock.advance(20);
  assert.deepEqual(await bench.paths(), [second]);
  await bench.clock.advance(500);
  assert.deepEqual(await bench.paths(), [first, second]);
});

test('a session that flaps is not told to the daemon again, and written of once a second', async () => {
  await using bench = await advertising();
  const before = bench.speaker.carriedOut.length;
  const peer = { kind: 'address', address: '198.51.100.1' } as const;
  const version = () => Number(bench.nodeStatus().metadata.resourceVersion);
  const versions = new Set([version()]);
  for (let times = 0; times < 200; times += 1) {
    const state = times % 2 === 0 ? 'Established' : 'Idle';
    bench.speaker.setSession(peer, { state });
    await bench.clock.advance(50);
    versions.add(version());
  }
  assert.deepEqual(bench.speaker.carriedOut.slice(before), []);
  assert.ok(versions.size > 5 && versions.size <= 12, `${versions.size} versions in 10 s`);
});

test('a daemon that was started anew gets everything again', async () => {
  await using bench = await advertising();
  bench.speaker.kill();
  await bench.clock.advance(3_000);
  assert.equal(bench.part.isConnected, false);
  assert.equal(bench.part.last?.state, undefined);
  bench.speaker.revive();
  await bench.clock.advance(3_000);
  assert.equal(bench.part.isConnected, true);
  assert.deepEqual(await bench.paths(), [first]);
  assert.equal((await bench.speaker.read()).peers.length, 1);
});

test('an address that comes while the daemon is away is among what its successor is told', async () => {
  await using bench = await advertising();
  await bench.clock.advance(5_000);
  bench.speaker.kill();
  await bench.place('add', '203.0.113.8/32');
  await bench.clock.advance(20);
  bench.speaker.revive();
  await bench.place('add', '203.0.113.9/32');
  await bench.clock.advance(3_000);
  assert.deepEqual(await bench.paths(), [first, second, '203.0.113.9/32 0.0.0.0']);
  assert.equal((await bench.speaker.read()).peers.length, 1);
});

test('what somebody else changed at the daemon is put right', async () => {
  await using bench = await advertising();
  const paths = (await bench.speaker.read()).paths;
  await bench.speaker.apply([{ kind: 'set-paths', add: [], withdraw: paths }]);
  await bench.clock.advance(1_000);
  assert.deepEqual(await bench.paths(), [first]);
});

test('while policies are refused nobody is told anything, and it is said', async () => {
  const bench = new BgpBench();
  await using _ = bench;
  bench.speaker.refuse = ({ kind }) => (kind === 'set-policies' ? 'no' : undefined);
  bench.part.note(surroundings);
  bench.configure();
  await bench.clock.advance(5_000);
  assert.deepEqual((await bench.speaker.read()).peers, []);
  assert.deepEqual(bench.conditions()[0], 'Ready=False ReconcileFailed');
  bench.speaker.refuse = () => undefined;
  await bench.clock.advance(2_000);
  assert.equal((await bench.speaker.read()).peers.length, 1);
});

test('a configuration that cannot be carried out changes nothing; without any all is withdrawn', async () => {
  await using bench = await advertising();
  const path = '/apis/bgp.purelb.io/v1/namespaces/purelb-system/configs/default';
  bench.send('PATCH', path, { spec: { vrfs: [{ name: 'red' }] } });
  await bench.clock.advance(2_000);
  assert.deepEqual(await bench.paths(), [first]);
  assert.equal(bench.conditions()[0], 'Ready=False ConfigurationInvalid');
  bench.unconfigure();
  await bench.clock.advance(2_000);
  const { paths, peers } = await bench.speaker.read();
  assert.deepEqual([paths, peers], [[], []]);
});

test('what a Service asks for in vain is told by one node for all', async () => {
  for (const isSpokesman of [true, false]) {
    await using bench = await advertising();
    const annotations = { [routeAnnotations.med]: '5' };
    const services = [service('web', ['203.0.113.7'], { annotations })];
    bench.part.note({ ...surroundings, services, isSpokesman });
    await bench.clock.advance(2_000);
    const told = bench.events().filter((each) => each.startsWith('Service '));
    assert.deepEqual(told, isSpokesman ? ['Service web: RouteAttributesRefused'] : []);
  }
});

test('what a Service asks for and is allowed is at the daemon', async () => {
  await using bench = await advertising({ serviceAttributes: { med: { max: 9 } } });
  const annotations = { [routeAnnotations.med]: '5' };
  const services = [service('web', ['203.0.113.7'], { annotations })];
  bench.part.note({ ...surroundings, services });
  await bench.clock.advance(200);
  assert.deepEqual(await bench.paths(), [`${first} med=5`]);
});

test('the routes of a node that takes no part are marked, then withdrawn, and come back', async () => {
  await using bench = await advertising();
  assert.equal(bench.part.drain(false), false);
  assert.equal(bench.part.drain(true), true);
  await bench.clock.advance(500);
  assert.deepEqual([bench.part.drain(true), await bench.paths()], [true, [`${first} 65535:0`]]);
  await bench.clock.advance(1_500);
  assert.deepEqual([bench.part.drain(true), await bench.paths()], [false, []]);
  bench.part.drain(false);
  await bench.clock.advance(500);
  assert.deepEqual(await bench.paths(), [first]);
});

test('a node that was deleted is remembered until its routes are withdrawn', async () => {
  await using bench = await advertising();
  bench.part.note({ ...surroundings, me: undefined });
  await bench.place('remove', '203.0.113.7/32');
  await bench.clock.advance(1_000);
  assert.deepEqual(await bench.paths(), []);
});

test('a node gets and loses neighbours with its labels', async () => {
  const selected = { config: { peerAsn: 64_501, neighborAddress: '198.51.100.1' } };
  const nodeSelector = { matchLabels: { rack: 'a' } };
  await using bench = await advertising({ neighbors: [{ ...selected, nodeSelector }] });
  const peers = async () => (await bench.speaker.read()).peers.length;
  assert.equal(await peers(), 0);
  const me = clusterNode('node1', {
    internalIps: surroundings.me?.internalIps ?? [],
    labels: new Map([['rack', 'a']]),
  });
  bench.part.note({ ...surroundings, me });
  await bench.clock.advance(200);
  assert.equal(await peers(), 1);
  bench.part.note(surroundings);
  await bench.clock.advance(200);
  assert.equal(await peers(), 0);
});

test('one that leaves for good marks and withdraws; one that stays changes nothing', async () => {
  await using bench = await advertising();
  await bench.part.leave('stay');
  assert.deepEqual(await bench.paths(), [first]);
  const left = bench.part.leave('remove');
  await bench.clock.advance(500);
  assert.deepEqual(await bench.paths(), [`${first} 65535:0`]);
  await bench.clock.advance(1_000);
  await left;
  assert.deepEqual(await bench.paths(), []);
});
