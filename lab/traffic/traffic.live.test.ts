import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ipOf } from '../../src/model/ip.ts';
import { capture } from '../capture/capture.ts';
import { eventually } from '../eventually.ts';
import { cutPort } from '../faults/cut.ts';
import { missing } from '../missing.ts';
import { type Lab, lan } from '../network/lab.ts';
import { startResponder } from './responder.ts';
import { startTcpClient } from './tcp-client.ts';
import { startUdpClient } from './udp-client.ts';

const families = ['ipv4', 'ipv6'] as const;

suite('traffic', { skip: missing('ip', 'setpriv') }, () => {
  let lab: Lab;
  before(async () => {
    lab = await lan({ nodes: 3 });
    for (const node of lab.nodes.slice(0, 2)) await startResponder(node);
  });
  after(async () => {
    await lab[Symbol.asyncDispose]();
  });

  for (const family of families) {
    test(`a thousand packets a second over ${family}, and none lost`, async () => {
      const to = lab.node(1).address(family);
      await using client = await startUdpClient(lab.client, { to, packets: 1000 });
      const report = await client.finish();
      const { sent, received, lost, late, duplicates, outages, responderChanges } = report;
      assert.deepEqual(
        { sent, received, lost, late, duplicates, outages, responderChanges },
        {
          sent: 1000,
          received: 1000,
          lost: 0,
          late: 0,
          duplicates: 0,
          outages: [],
          responderChanges: 0,
        },
      );
      assert.deepEqual(
        report.responders.map(({ id, answers }) => [id, answers]),
        [['node1', 1000]],
      );
      // The rate holds: a second, and what the client itself stalled.
      const tookMs = report.endedAt - report.startedAt;
      assert.ok(Math.abs(tookMs - 1000 - report.skipped) < 50, `${tookMs} ms`);
    });

    test(`a gap of 50 ms over ${family} is found, as long as tcpdump saw it`, {
      skip: missing('tcpdump'),
    }, async () => {
      const node = lab.node(1);
      await using arriving = await capture(node.nic(), { filter: 'udp dst port 7777' });
      await using client = await startUdpClient(lab.client, { to: node.address(family) });
      await eventually(() => assert.ok(client.progress.received > 100), { withinMs: 3000 });
      const cut = await cutPort(node.nic());
      await sleep(50);
      await cut.heal();
      await eventually(() => assert.ok(client.progress.sent > 600), { withinMs: 3000 });
      const { outages, lost, longestOutageMs, longestStallMs } = await client.stop();
      assert.deepEqual(
        outages.map((outage) => outage.lost),
        [lost],
      );
      const times = (await arriving.stop()).map(({ epochMs }) => epochMs);
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      const seenMs = Math.max(...gaps);
      assert.ok(seenMs >= 50, `${seenMs} ms`);
      assert.ok(
        Math.abs(seenMs - longestOutageMs) < 5 + longestStallMs,
        `${seenMs}, ${longestOutageMs}`,
      );
    });
  }

  test('a client that is frozen reports its own stall and no outage', async () => {
    await using client = await startUdpClient(lab.client, { to: lab.node(1).ipv4 });
    await eventually(() => assert.ok(client.progress.received > 200), { withinMs: 3000 });
    client.process.freeze();
    await sleep(400);
    client.process.thaw();
    await eventually(() => assert.ok(client.progress.received > 500), { withinMs: 3000 });
    const { lost, late, outages, longestStallMs, skipped } = await client.stop();
    assert.deepEqual({ lost, late, outages }, { lost: 0, late: 0, outages: [] });
    assert.ok(longestStallMs >= 390 && longestStallMs < 600, `${longestStallMs} ms`);
    assert.ok(skipped > 300, `${skipped} skipped`);
  });

  test('a responder that is frozen makes answers late, not lost', async () => {
    await using lazy = await startResponder(lab.node(3));
    await using client = await startUdpClient(lab.client, { to: lab.node(3).ipv4 });
    await eventually(() => assert.ok(client.progress.received > 100), { withinMs: 3000 });
    lazy.freeze();
    await sleep(500);
    lazy.thaw();
    await eventually(() => assert.ok(client.progress.sent > 1000), { withinMs: 3000 });
    const { lost, late, outageCount } = await client.stop();
    assert.deepEqual({ lost, outageCount }, { lost: 0, outageCount: 0 });
    assert.ok(late >= 150 && late <= 350, `${late} late`);
  });

  test('an address that moves is seen to be answered by another', async () => {
    const [old, next] = [lab.node(1), lab.node(2)];
    const holds = (verb: 'add' | 'del') => ['ip', 'address', verb, '192.0.2.100/32', 'dev', 'eth0'];
    await old.run(holds('add'));
    await using client = await startUdpClient(lab.client, { to: ipOf('192.0.2.100') });
    await eventually(() => assert.equal(client.progress.responder, 'node1'), { withinMs: 3000 });
    await old.run(holds('del'));
    await next.run(holds('add'));
    await lab.client.run(['ip', 'neigh', 'flush', 'dev', 'eth0']);
    await eventually(() => assert.equal(client.progress.responder, 'node2'), { withinMs: 3000 });
    const { responders, responderChanges, outageCount } = await client.stop();
    assert.deepEqual(
      responders.map(({ id }) => id),
      ['node1', 'node2'],
    );
    assert.deepEqual({ responderChanges, outageCount }, { responderChanges: 1, outageCount: 1 });
    await next.run(holds('del'));
  });

  test('nobody there: everything is lost in one outage that is not over', async () => {
    await using client = await startUdpClient(lab.client, { to: lab.node(3).ipv4, packets: 100 });
    const { sent, lost, outages, firstAnsweredAt } = await client.finish();
    assert.deepEqual(
      [sent, lost, outages.length, outages[0]?.isOpen, firstAnsweredAt],
      [100, 100, 1, true, undefined],
    );
  });

  test('connections live through a short cut, with a stall and no reset', async () => {
    const to = lab.node(1).ipv6;
    await using client = await startTcpClient(lab.client, { to, connections: 3 });
    await eventually(() => assert.equal(client.progress.open, 3), { withinMs: 3000 });
    const cut = await cutPort(lab.node(1).nic());
    await sleep(300);
    await cut.heal();
    const { echoed } = client.progress;
    await eventually(() => assert.ok(client.progress.echoed > echoed + 60), { withinMs: 5000 });
    const { opened, reconnects, resets, ends, stalls, answers } = await client.stop();
    assert.deepEqual(
      { opened, reconnects, resets, ends },
      { opened: 3, reconnects: 0, resets: 0, ends: [] },
    );
    assert.deepEqual(
      stalls.map(({ connection }) => connection),
      [0, 1, 2],
    );
    for (const { ms } of stalls) assert.ok(ms > 250 && ms < 1500, `${ms} ms`);
    assert.deepEqual(Object.keys(answers), ['node1']);
  });

  test('a connection whose server dies is reset, and made anew when it is back', async () => {
    const server = await startResponder(lab.node(3));
    await using client = await startTcpClient(lab.client, { to: lab.node(3).ipv4 });
    await eventually(() => assert.ok(client.progress.echoed > 3), { withinMs: 3000 });
    await server.kill();
    await eventually(() => assert.equal(client.progress.open, 0), { withinMs: 3000 });
    await using _ = await startResponder(lab.node(3), { id: 'reborn' });
    await eventually(() => assert.equal(client.progress.open, 1), { withinMs: 3000 });
    const { opened, reconnects, ends } = await client.stop();
    assert.deepEqual({ opened, reconnects }, { opened: 2, reconnects: 1 });
    assert.ok(ends[0]?.livedMs !== undefined, 'the first end is that of the open connection');
    assert.ok(ends.slice(1).every(({ reason }) => reason === 'ECONNREFUSED'));
  });
});
