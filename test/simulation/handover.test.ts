import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import { bothVips, PlannedMove } from './planned-move.ts';

const [vip = ipOf('192.0.2.100')] = bothVips;

test('a node that is labelled hands over what it holds, and no packet is lost', async () => {
  const move = await PlannedMove.open();
  const holder = move.holderOf(vip);
  move.label(holder, '');
  await move.live(5_000);
  move.assertOneHolder();
  for (const ip of bothVips) assert.equal(holder.holds(ip), false);
  move.assertSmooth();
  assert.ok(move.longestOverlapMs >= 500, `${move.longestOverlapMs} ms`);
  move.begin();
  move.label(holder, null);
  await move.live(5_000);
  assert.equal(move.longestOverlapMs, 0, 'sticky: nothing moves back');
});

test('a cordoned node moves nothing; when its agent is stopped it hands over first', async () => {
  const move = await PlannedMove.open();
  const holder = move.holderOf(vip);
  move.cordon(holder);
  await move.live(5_000);
  assert.equal(move.holderOf(vip), holder);
  const ended = holder.stopAgent();
  await move.live(5_000);
  await ended;
  move.assertOneHolder();
  for (const ip of bothVips) assert.equal(holder.holds(ip), false);
  move.assertSmooth();
  await move.live(30_000);
  move.assertSmooth();
});

for (const afterMs of [20, 300, 500, 510, 600]) {
  test(`who is stopped ${afterMs} ms after it was asked to take an address hands it on`, async () => {
    const move = await PlannedMove.open();
    const [target] = move.others(move.holderOf(vip));
    assert.ok(target !== undefined);
    move.cordon(target);
    await move.live(1_000);
    for (const ip of bothVips) move.ask(ip, target.name);
    await move.live(afterMs);
    const ended = target.stopAgent();
    await move.live(4_000);
    await ended;
    move.assertOneHolder();
    for (const ip of bothVips) assert.equal(target.holds(ip), false);
    move.assertSmooth();
  });
}

test('a move that is asked for is carried out once, and stays done when its node dies later', async () => {
  const move = await PlannedMove.open();
  const holder = move.holderOf(vip);
  const [target] = move.others(holder);
  assert.ok(target !== undefined);
  move.ask(vip, target.name);
  await move.live(3_000);
  assert.equal(move.holderOf(vip), target);
  assert.equal(move.annotation(vip, 'purelb.io/move'), undefined);
  move.assertSmooth();
  target.powerOff();
  await move.live(5_000);
  const heir = move.holderOf(vip);
  assert.notEqual(heir, target);
  target.powerOn();
  await move.live(30_000);
  assert.equal(move.holderOf(vip), heir);
});

test('a move to where it is, or to nowhere, moves nothing', async () => {
  const move = await PlannedMove.open();
  const holder = move.holderOf(vip);
  move.ask(vip, holder.name);
  await move.live(2_000);
  assert.equal(move.annotation(vip, 'purelb.io/move'), undefined);
  move.ask(vip, 'node9');
  await move.live(5_000);
  assert.equal(move.holderOf(vip), holder);
  assert.equal(move.annotation(vip, 'purelb.io/move'), `${vip}=node9`);
  assert.equal(move.longestOverlapMs, 0);
  move.assertSmooth();
});

test('a hundred addresses move at once, with few writes of Leases, and no packet is lost', async () => {
  const ips = Array.from({ length: 100 }, (_, index): Ip => ipOf(`192.0.2.${100 + index}`));
  const move = await PlannedMove.open({ ips });
  const holder = move.holderOf(vip);
  const mine = ips.filter((ip) => move.holderOf(ip) === holder);
  const others = move.others(holder).map(({ name }) => name);
  const texts = new Set<string>();
  for (const [index, ip] of mine.entries()) move.ask(ip, others[index % 2] ?? '');
  await move.until(
    'all have moved',
    () => {
      texts.add(move.handingOf(holder));
      return mine.every((ip) => !holder.holds(ip));
    },
    10_000,
  );
  await move.live(5_000);
  move.assertOneHolder();
  move.assertSmooth();
  assert.ok(texts.size <= 12, `the Lease was written ${texts.size} times`);
});

test('two requests at once: the last one counts, and no packet is lost', async () => {
  for (const laterMs of [0, 5, 30, 300, 520]) {
    const move = await PlannedMove.open({ ips: [vip] });
    const [first, second] = move.others(move.holderOf(vip));
    assert.ok(first !== undefined && second !== undefined);
    move.ask(vip, first.name);
    await move.live(laterMs);
    move.ask(vip, second.name);
    await move.live(6_000);
    move.assertOneHolder();
    assert.equal(move.holderOf(vip), second, `${laterMs} ms`);
    move.assertSilence(0);
  }
});

test('what is to and fro is damped: after three moves it stays for three minutes', async () => {
  const move = await PlannedMove.open({ ips: [vip] });
  const holders: string[] = [];
  for (let round = 0; round < 8; round += 1) {
    const holder = move.holderOf(vip);
    holders.push(holder.name);
    move.label(holder, '');
    await move.live(5_000);
    move.label(holder, null);
    await move.live(5_000);
  }
  move.assertSmooth();
  assert.equal(new Set(holders.slice(3)).size, 1, holders.join(' '));
  const holder = move.holderOf(vip);
  move.label(holder, '');
  await move.live(185_000);
  assert.notEqual(move.holderOf(vip), holder);
  move.assertSmooth();
});
