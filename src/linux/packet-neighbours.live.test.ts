/** What only real packet sockets can show: what is on the wire, what they cost, and what they survive. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { capture } from '../../lab/capture/capture.ts';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { inNamespace } from '../../lab/in-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { type Ip, ipOf } from '../model/ip.ts';
import { broadcastMac, macToBytes } from '../model/mac.ts';
import type { NeighbourEvent } from '../model/neighbour-event.ts';
import { capturedFrame, capturedFrames } from '../wire/captured-frames.fixture.ts';
import { encodeFrame } from '../wire/encode-frame.ts';
import { decodeEthernet, EtherType, encodeEthernet } from '../wire/ethernet.ts';
import { type LivePeer, type LiveWorld, openLiveWorld } from './live-segment.fixture.ts';
import { PacketSender } from './packet-sender.ts';

const skip = missing('ip', 'ping', 'tcpdump', 'tc');
if (skip === false) enterFreshNamespace();

const vip = ipOf('192.0.2.100');

function live(title: string, body: (world: LiveWorld) => Promise<void>): void {
  test(title, { skip }, async () => {
    const world = await openLiveWorld();
    try {
      await body(world);
    } finally {
      await world.close();
    }
  });
}

/** Puts any bytes on the segment, from the peer's side. */
function injector(peer: LivePeer): { inject(frame: Uint8Array): void; close(): void } {
  const sender = new PacketSender();
  // The socket belongs to the namespace in which the first frame is sent.
  inNamespace(peer.namespace, () => sender.send(peer.link.index, new Uint8Array(60)));
  return {
    inject: (frame) => {
      const outcome = sender.send(peer.link.index, frame);
      assert.deepEqual(outcome, { kind: 'sent' });
    },
    close: () => sender.close(),
  };
}

/** The frame as if the peer had sent it to everyone. */
function asFrom(peer: LivePeer, frame: Uint8Array): Uint8Array {
  return Uint8Array.of(...macToBytes(broadcastMac), ...macToBytes(peer.mac), ...frame.subarray(12));
}

function listenTo({ neighbours, link }: LiveWorld): NeighbourEvent[] {
  const events: NeighbourEvent[] = [];
  neighbours.listen(link, (event) => events.push(event));
  return events;
}

async function until(isSo: () => boolean, withinMs = 5000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, `not within ${withinMs} ms: ${isSo}`);
    await sleep(5);
  }
}

const openDescriptors = () => readdirSync('/proc/self/fd').length;
const threads = () => readdirSync('/proc/self/task').length;

live(
  '1,000 announcements of each family are captured whole, with right checksums',
  async (world) => {
    const filter = `ether src ${world.link.mac} and (arp or icmp6)`;
    await using captured = await capture(world.peers[0], { filter });
    const ips4 = Array.from({ length: 1000 }, (_, i) => ipOf(`${nets[i % 3]}.${1 + (i % 250)}`));
    const ips6 = Array.from({ length: 1000 }, (_, i) => ipOf(`2001:db8::${(i + 1).toString(16)}`));
    for (const ip of [...ips4, ...ips6]) {
      assert.deepEqual(world.neighbours.announce({ link: world.link, ip }), { kind: 'sent' });
    }
    await captured.stop();
    const lines = await captured.checkedText();
    assertSameLines(lines.map(shorten), [
      ...ips4.flatMap(garpLines),
      ...ips6.map(advertisementLine),
    ]);
  },
);

const nets = ['192.0.2', '198.51.100', '203.0.113'];

function garpLines(ip: Ip): readonly string[] {
  const who = '02:00:5e:10:00:01 > ff:ff:ff:ff:ff:ff';
  return [
    `${who} Request who-has ${ip} tell ${ip}, length 28`,
    `${who} Reply ${ip} is-at 02:00:5e:10:00:01, length 28`,
  ];
}

function advertisementLine(ip: Ip): string {
  const who = `02:00:5e:10:00:01 > 33:33:00:00:00:01 hlim 255 ${ip} > ff02::1`;
  return `${who} sum ok tgt is ${ip}, Flags [override] link 02:00:5e:10:00:01`;
}

const ipv6Header =
  /, ethertype IPv6 .*\((hlim 255), .*length: 32\) (.*): \[icmp6 sum ok\] .*, length 32,/;

function shorten(line: string): string {
  return line
    .replace(/, ethertype ARP .*IPv4 \(len 4\),/, '')
    .replace(ipv6Header, ' $1 $2 sum ok')
    .replace(/ destination link-address option .*\(1\): (\S+) .*/, ' link $1');
}

/** In any order. A failure shows only what is missing or too much. */
function assertSameLines(actual: readonly string[], expected: readonly string[]): void {
  const surplus = new Map<string, number>();
  for (const line of actual) surplus.set(line, (surplus.get(line) ?? 0) + 1);
  for (const line of expected) surplus.set(line, (surplus.get(line) ?? 0) - 1);
  assert.deepEqual([...surplus].filter(([, count]) => count !== 0).slice(0, 10), []);
  assert.equal(actual.length, expected.length);
}

live('sockets are opened when needed and closed when unused', async (world) => {
  const { neighbours, link } = world;
  const before = openDescriptors();
  const counts: number[] = [];
  const count = () => counts.push(openDescriptors() - before);
  neighbours.announce({ link, ip: vip });
  count();
  const first = neighbours.listen(link, () => {});
  const second = neighbours.listen(link, () => {});
  count();
  if (first.kind === 'listening') first.stop();
  count();
  if (second.kind === 'listening') second.stop();
  count();
  neighbours.close();
  count();
  assert.deepEqual(counts, [1, 3, 3, 1, 0]);
});

live('100,000 frames leave no descriptor, no thread and no memory behind', async (world) => {
  const { neighbours, link } = world;
  const [peer] = world.peers;
  peer.hold(vip);
  let answers = 0;
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  neighbours.listen(link, () => {
    answers += 1;
  });
  const exchange = async (rounds: number) => {
    const wanted = answers + rounds * 100;
    for (let round = 0; round < rounds; round++) {
      for (let n = 0; n < 100; n++) neighbours.probe({ link, ip: vip, to: peer.mac });
      await sleep(0);
    }
    await until(() => answers >= wanted);
  };
  await exchange(50);
  gc();
  const before = { fds: openDescriptors(), threads: threads(), ...process.memoryUsage() };
  await exchange(450);
  gc();
  const after = { fds: openDescriptors(), threads: threads(), ...process.memoryUsage() };
  assert.equal(answers, 50_000);
  assert.deepEqual([after.fds, after.threads], [before.fds, before.threads]);
  const grown = (after.heapUsed + after.external - before.heapUsed - before.external) / 1024;
  assert.ok(grown < 1024, `${grown} KiB more heap`);
  assert.ok(after.rss - before.rss < 16 << 20, `${(after.rss - before.rss) >> 10} KiB more RSS`);
});

live('opening and closing leaves nothing behind', async (world) => {
  const { neighbours, link } = world;
  const before = [openDescriptors(), threads()];
  for (let count = 0; count < 100; count++) {
    const listening = neighbours.listen(link, () => {});
    assert.ok(listening.kind === 'listening');
    listening.stop();
  }
  await sleep(10);
  assert.deepEqual([openDescriptors(), threads()], before);
});

live('frames for others do not even wake us', async (world) => {
  const events = listenTo(world);
  const { inject, close } = injector(world.peers[0]);
  await sleep(100);
  const before = world.neighbours.counters().framesHeard;
  for (const { bytes } of capturedFrames) {
    if (bytes[12] === 0x08 && bytes[13] === 0x06) continue;
    if (bytes[12] === 0x86 && (bytes[54] === 135 || bytes[54] === 136)) continue;
    inject(asFrom(world.peers[0], bytes));
  }
  await sleep(100);
  assert.equal(world.neighbours.counters().framesHeard, before);
  const { mac, ips } = world.peers[0];
  const reply = { kind: 'echo-reply', from: mac, to: world.link.mac, sequence: 1 } as const;
  const path = { source: ips.ipv4, destination: world.ips.ipv4 };
  for (const identifier of [0x1233, 0x1234, 0x1235]) {
    inject(encodeFrame({ ...reply, ...path, identifier }));
  }
  await sleep(50);
  assert.equal(world.neighbours.counters().framesHeard, before);
  world.neighbours.drain(world.link);
  assert.equal(world.neighbours.counters().framesHeard, before + 1);
  const { at: _, ...heard } = events.at(-1) ?? { at: 0 };
  assert.deepEqual(heard, { ...reply, ...path, identifier: 0x1234 });
  close();
});

live('frames tagged for a VLAN are not taken for untagged ones', async (world) => {
  const events = listenTo(world);
  const { inject, close } = injector(world.peers[0]);
  const frame = decodeEthernet(capturedFrame('arping -A: gratuitous ARP, reply form'));
  const source = world.peers[0].mac;
  const tagged = (vlan: number, priority: number) => {
    const tag = { protocol: EtherType.vlan, priority, dropEligible: false, vlan };
    inject(encodeEthernet({ ...frame, source, tags: [tag] }));
  };
  tagged(100, 0);
  tagged(0, 5);
  tagged(4095, 7);
  await sleep(100);
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['arp'],
  );
  close();
});

live('our own frames that come back are not heard', async (world) => {
  const events = listenTo(world);
  const { inject, close } = injector(world.peers[0]);
  const frame = capturedFrame("kernel's ARP request");
  inject(asFrom({ ...world.peers[0], mac: world.link.mac }, frame));
  inject(asFrom(world.peers[0], frame));
  await until(() => events.length > 0);
  await sleep(50);
  assert.deepEqual(
    events.map((event) => ('from' in event ? event.from : event.kind)),
    [world.peers[0].mac],
  );
  close();
});

live('malformed frames are counted and do no harm', async (world) => {
  const { neighbours, link, peers } = world;
  const events = listenTo(world);
  const { inject, close } = injector(peers[0]);
  for (const [index, frame] of mutilatedFrames(20_000).entries()) {
    inject(asFrom(peers[0], frame));
    if (index % 500 === 0) neighbours.drain(link);
  }
  neighbours.drain(link);
  close();
  const { framesMalformed, framesLost, framesHeard } = neighbours.counters();
  assert.ok(
    framesMalformed > 3000 && framesMalformed < framesHeard,
    `${framesMalformed} malformed`,
  );
  assert.equal(framesLost, 0);
  peers[1].hold(vip);
  const before = events.length;
  neighbours.probe({ link, ip: vip, to: peers[1].mac });
  await until(() => events.length > before);
});

/** Captured frames with a bit flipped or the end cut off, the same in every run. */
function mutilatedFrames(count: number): readonly Uint8Array[] {
  let seed = 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  return Array.from({ length: count }, () => {
    const original = capturedFrames[random(capturedFrames.length)]?.bytes ?? new Uint8Array(60);
    if (random(4) === 0) return original.subarray(0, 15 + random(original.length - 15));
    const frame = original.slice();
    const place = 14 + random(frame.length - 14);
    frame[place] = (frame[place] ?? 0) ^ (1 << random(8));
    return frame;
  });
}

live('frames beyond the room in the kernel are told as lost, and counted', async (world) => {
  const events = listenTo(world);
  const { inject, close } = injector(world.peers[0]);
  await sleep(50);
  const before = events.length;
  const frame = encodeFrame({
    kind: 'arp',
    from: world.peers[0].mac,
    to: world.link.mac,
    operation: 'reply',
    sender: { ip: vip, mac: world.peers[0].mac },
    target: { ip: world.ips.ipv4, mac: world.link.mac },
  });
  for (let count = 0; count < 10_000; count++) inject(frame);
  world.neighbours.drain(world.link);
  const flood = events.slice(before);
  const lost = flood.flatMap((event) => (event.kind === 'lost' ? [event.count] : []));
  assert.equal(lost.length, 1);
  assert.ok(flood.length > 200, `${flood.length} heard`);
  assert.equal(flood.length - 1 + (lost[0] ?? 0), 10_000);
  assert.equal(world.neighbours.counters().framesLost, lost[0]);
  close();
});

live('a full queue of the link is an outcome, not an exception', async (world) => {
  const { neighbours, link } = world;
  execFileSync('tc', ['qdisc', 'replace', 'dev', link.name, 'root', 'pfifo', 'limit', '0']);
  const failure = { kind: 'failed', reason: 'no-buffer-space', errno: 105 };
  assert.deepEqual(neighbours.announce({ link, ip: vip }), failure);
  execFileSync('tc', ['qdisc', 'delete', 'dev', link.name, 'root']);
  assert.deepEqual(neighbours.announce({ link, ip: vip }), { kind: 'sent' });
  const { framesSent, framesFailed } = neighbours.counters();
  assert.deepEqual({ framesSent, framesFailed }, { framesSent: 2, framesFailed: 2 });
});

live('a link deleted in the middle of a flood ends in one last event', async (world) => {
  const before = openDescriptors();
  const events = listenTo(world);
  const { inject, close } = injector(world.peers[0]);
  const outcomes = new Set<string>();
  for (let round = 0; round < 40; round++) {
    for (let n = 0; n < 50; n++) {
      inject(asFrom(world.peers[0], capturedFrame("kernel's ARP request")));
      const outcome = world.neighbours.announce({ link: world.link, ip: vip });
      outcomes.add(outcome.kind === 'sent' ? 'sent' : outcome.reason);
    }
    if (round === 20) world.deleteLink();
    await sleep(1);
  }
  await until(() => events.at(-1)?.kind === 'link-gone');
  assert.equal(events.filter(({ kind }) => kind === 'link-gone').length, 1);
  assert.deepEqual([...outcomes], ['sent', 'link-gone']);
  close();
  world.neighbours.close();
  assert.equal(openDescriptors(), before);
});

live('a link deleted while it is down is told, whatever was still unread', async (world) => {
  const events = listenTo(world);
  const { inject, close } = injector(world.peers[0]);
  for (let n = 0; n < 20; n++)
    inject(asFrom(world.peers[0], capturedFrame("kernel's ARP request")));
  world.setLink('down');
  await until(() => events.length > 20);
  const kinds = new Set(events.map(({ kind }) => kind));
  assert.deepEqual([...kinds], ['link-down', 'arp']);
  await sleep(200);
  world.deleteLink();
  await until(() => events.at(-1)?.kind === 'link-gone');
  close();
});

live('each link that is listened to costs two sockets', async (world) => {
  const before = openDescriptors();
  const names = Array.from({ length: 20 }, (_, n) => `many${n}`);
  for (const name of names) execFileSync('ip', ['link', 'add', name, 'type', 'ifb']);
  const links = names.map((name) => ({ ...world.link, name, index: indexOf(name) }));
  for (const link of links) {
    assert.equal(world.neighbours.listen(link, () => {}).kind, 'listening');
  }
  assert.equal(openDescriptors() - before, 40);
  world.neighbours.close();
  assert.equal(openDescriptors(), before);
  for (const name of names) execFileSync('ip', ['link', 'delete', name]);
});

function indexOf(name: string): number {
  const shown = execFileSync('ip', ['-j', 'link', 'show', name], { encoding: 'utf8' });
  return (JSON.parse(shown) as { ifindex: number }[])[0]?.ifindex ?? 0;
}
