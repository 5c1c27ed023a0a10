import assert from 'node:assert/strict';
import { test } from 'node:test';
import { held, link } from '../decide/announcement/node.fixture.ts';
import { placeAddresses } from '../decide/announcement/place-addresses.ts';
import { localGroup, service } from '../decide/announcement/pool.fixture.ts';
import { snapshotOf } from '../decide/announcement/snapshot.fixture.ts';
import { addressKey, type WantedAddress } from '../model/address.ts';
import { ipOf } from '../model/ip.ts';
import { KeptPass } from './kept-pass.ts';
import type { PassRecord } from './pass-record.ts';

const eth0 = link('eth0', { index: 2 });
const vip = ipOf('192.0.2.100');
const other = ipOf('192.0.2.101');
const wanted: WantedAddress = {
  link: 'eth0',
  ip: vip,
  prefixLength: 24,
  validSeconds: 300,
  preferredSeconds: 300,
  noPrefixRoute: true,
  noDad: true,
};

function keptOf(...services: Parameters<typeof service>[]) {
  const snapshot = snapshotOf({
    services: services.map((one) => service(...one)),
    pools: [localGroup],
  });
  const node = held(eth0, '192.0.2.1/24');
  const record = {
    snapshot,
    placing: placeAddresses(snapshot),
    held: [node],
    serving: [],
    machine: { kernel: { links: [eth0] } },
    number: 7,
    parts: 0,
  } as unknown as PassRecord;
  return new KeptPass(record, {}, 10_000);
}

const scope = { services: new Set(['shop/web']), ips: new Set([vip]) };

test('what the kernel acknowledged is held, and ages as the rest does', () => {
  const kept = keptOf(['web', [vip]]);
  assert.equal(kept.isHeld(vip), false);
  kept.noteChanges([{ kind: 'add', address: wanted }], 15_000);
  assert.equal(kept.isHeld(vip), true);
  assert.deepEqual([...kept.heldKeys], [addressKey(wanted)]);
  const seconds = (now: number) => kept.heldOf([vip], now).map(({ validSeconds }) => validSeconds);
  assert.deepEqual([seconds(15_000), seconds(45_000)], [[300], [270]]);
  kept.noteChanges([{ kind: 'refresh', address: wanted }], 45_000);
  assert.deepEqual(seconds(45_000), [300]);
});

test('what was removed is not held, and addresses of the node are not ours', () => {
  const kept = keptOf(['web', [vip]]);
  kept.noteChanges([{ kind: 'add', address: wanted }], 15_000);
  kept.noteChanges([{ kind: 'remove', address: wanted }], 16_000);
  assert.deepEqual(
    [kept.isHeld(vip), [...kept.heldKeys], kept.heldOf([vip], 16_000)],
    [false, [], []],
  );
  assert.equal(kept.isHeld(ipOf('192.0.2.1')), false);
});

test('a pass over some Services replaces their decisions and leaves the others', () => {
  const kept = keptOf(['web', [vip]], ['mail', [other]]);
  const [web = assert.fail()] = kept.formerOf(scope);
  kept.replace(scope, [{ ...web, reason: 'lostElection', wakeAt: 20_000 }], 15_000);
  assert.deepEqual([...kept.decisions.keys()].sort(), [vip, other]);
  assert.deepEqual([kept.due(19_999).includes(vip), kept.due(20_000).includes(vip)], [false, true]);
  kept.replace(scope, [], 21_000);
  assert.deepEqual([...kept.decisions.keys()], [other]);
  assert.equal(kept.due(Infinity).includes(vip), false);
  const { number, parts, placing } = kept.record;
  assert.deepEqual([number, parts, placing.decisions.map(({ ip }) => ip)], [9, 2, [other]]);
});

test('an address whose questions were put is due again when they can be answered', () => {
  const kept = keptOf(['web', [vip]]);
  const [web = assert.fail()] = kept.formerOf(scope);
  kept.replace(scope, [{ ...web, asks: [] }], 15_000);
  assert.deepEqual([kept.due(15_100), kept.due(15_200)], [[], [vip]]);
});
