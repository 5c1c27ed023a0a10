import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dropFrames } from '../faults/drop-frames.ts';
import { missing } from '../missing.ts';
import { lan } from '../network/lab.ts';
import { ping } from '../traffic/ping.ts';
import { startResponder } from '../traffic/responder.ts';
import { startUdpClient } from '../traffic/udp-client.ts';
import { capture } from './capture.ts';

const skip = missing('ip', 'ping', 'tcpdump', 'setpriv');

test('the very first frames are captured, on a NIC and on the segment', { skip }, async () => {
  await using lab = await lan({ nodes: 2 });
  const [left, right] = [lab.node(1), lab.node(2)];
  await using onNic = await capture(right.nic(), { filter: 'arp' });
  await using onSegment = await capture(lab.segment('lan1'), { filter: 'arp' });
  assert.notEqual(await ping(left, right.ipv4), undefined);
  const expected = [
    ['02:00:00:01:00:11', 'ff:ff:ff:ff:ff:ff', 0x0806],
    ['02:00:00:01:00:12', '02:00:00:01:00:11', 0x0806],
  ];
  for (const capturing of [onNic, onSegment]) {
    const frames = await capturing.stop();
    assert.deepEqual(
      frames.slice(0, 2).map(({ source, target, etherType }) => [source, target, etherType]),
      expected,
    );
    const [question = '', answer = ''] = await capturing.text();
    assert.match(question, /Request who-has 192\.0\.2\.12 tell 192\.0\.2\.11/);
    assert.match(answer, /Reply 192\.0\.2\.12 is-at 02:00:00:01:00:12/);
  }
});

test('every packet of a client is captured, at 1,000 a second', { skip }, async () => {
  await using lab = await lan({ nodes: 1 });
  const node = lab.node(1);
  await startResponder(node);
  await using capturing = await capture(node.nic(), { filter: 'udp' });
  await using client = await startUdpClient(lab.client, { to: node.ipv6, packets: 1000 });
  assert.equal((await client.finish()).received, 1000);
  await capturing.stop();
  const ofNode = ({ source }: { source: string }) => source === node.nic().plan.mac;
  assert.deepEqual([capturing.count(), capturing.count(ofNode)], [2000, 1000]);
});

test('the segment shows what a fault keeps from its receiver', {
  skip: missing('nft') || skip,
}, async () => {
  await using lab = await lan({ nodes: 2 });
  const [left, right] = [lab.node(1), lab.node(2)];
  await using _ = await dropFrames({ to: right.nic(), match: 'ether type arp' });
  await using onSegment = await capture(lab.segment('lan1'), { filter: 'arp' });
  await using onNic = await capture(right.nic(), { filter: 'arp' });
  assert.equal(await ping(left, right.ipv4, 200), undefined);
  assert.deepEqual([(await onNic.stop()).length, (await onSegment.stop()).length > 0], [0, true]);
});

test('the file is kept where it is wanted, and only there', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lab-test-'));
  const file = join(folder, 'kept.pcap');
  try {
    await using lab = await lan({ nodes: 1 });
    let own = '';
    {
      await using kept = await capture(lab.node(1).nic(), { file });
      await using unkept = await capture(lab.node(1).nic());
      own = unkept.file;
      assert.ok(existsSync(own));
      await ping(lab.client, lab.node(1).ipv4);
      assert.ok((await kept.stop()).length > 0);
    }
    assert.deepEqual([existsSync(file), existsSync(own)], [true, false]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a filter that makes no sense is an error with tcpdump’s words', { skip }, async () => {
  await using lab = await lan({ nodes: 1 });
  await assert.rejects(
    capture(lab.node(1).nic(), { filter: 'nonsense here' }),
    /can't parse filter expression/,
  );
});
