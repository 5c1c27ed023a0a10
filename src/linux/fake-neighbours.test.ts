import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../model/ip.ts';
import { macOf } from '../model/mac.ts';
import type { NeighbourEvent } from '../model/neighbour-event.ts';
import { claimIn } from '../model/neighbour-frame.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { FakeHost } from './fake-host.ts';
import { FakeNeighbours } from './fake-neighbours.ts';
import type { FakeNic } from './fake-nic.ts';
import { FakeSegment } from './fake-segment.ts';
import { describeNeighbours } from './neighbours.contract.ts';
import type { NeighbourPeer, NeighbourWorld } from './neighbours-world.contract.ts';

class TestHost {
  readonly host = new FakeHost();
  readonly ips: { ipv4: Ip; ipv6: Ip };
  readonly neighbours: FakeNeighbours;
  readonly nic: FakeNic;
  readonly held: Set<Ip>;

  constructor(clock: ManualClock, segment: FakeSegment, number: number) {
    this.ips = { ipv4: ipOf(`192.0.2.${number}`), ipv6: ipOf(`2001:db8::${number}`) };
    this.held = new Set([this.ips.ipv4, this.ips.ipv6]);
    const link = { index: 2, name: 'eth0', mac: macOf(`02:00:5e:10:00:0${number}`) };
    this.nic = this.host.addNic({ link, segment, addresses: this.held });
    this.neighbours = new FakeNeighbours({ host: this.host, clock, identifier: 0x1234 });
  }
}

function peerOf(clock: ManualClock, { host, ips, nic, held, neighbours }: TestHost): NeighbourPeer {
  const elsewhere = new Set<Ip>();
  const link = { index: 3, name: 'kube-lb0', mac: macOf('02:00:5e:10:aa:aa') };
  host.addNic({ link, addresses: elsewhere });
  return {
    mac: nic.mac,
    ips,
    hold: (ip, on = 'segment') => (on === 'segment' ? held : elsewhere).add(ip),
    release: (ip) => held.delete(ip),
    ping: async (ip) => {
      nic.ping(ip, ip.includes(':') ? ips.ipv6 : ips.ipv4, clock.monotonic());
      await clock.advance(10);
    },
    say: (frame) => nic.transmit(frame, clock.monotonic()),
    neighbour: (ip) => nic.neighbours.get(ip),
    die: () => {
      host.isAlive = false;
    },
    listen: (listener) => neighbours.listen(nic.link, listener),
  };
}

async function openFakeWorld(): Promise<NeighbourWorld> {
  const clock = new ManualClock();
  const segment = new FakeSegment({ clock });
  const us = new TestHost(clock, segment, 1);
  const { link } = us.nic;
  return {
    neighbours: us.neighbours,
    link,
    ips: us.ips,
    peers: [
      peerOf(clock, new TestHost(clock, segment, 2)),
      peerOf(clock, new TestHost(clock, segment, 3)),
    ],
    now: () => clock.monotonic(),
    pass: (ms) => clock.advance(ms),
    block: (ms) => clock.stall(ms),
    setLink: (state) => us.nic.setUp(state === 'up', clock.monotonic()),
    deleteLink: () => us.host.removeNic(link.index, clock.monotonic()),
    close: async () => us.neighbours.close(),
  };
}

describeNeighbours('fake', { skip: false, open: openFakeWorld });

const vip = ipOf('192.0.2.100');

function openSegment() {
  const clock = new ManualClock();
  const segment = new FakeSegment({ clock, latencyMs: 2 });
  const [us, holder] = [new TestHost(clock, segment, 1), new TestHost(clock, segment, 2)];
  const events: NeighbourEvent[] = [];
  us.neighbours.listen(us.nic.link, (event) => events.push(event));
  holder.held.add(vip);
  return { clock, segment, us, holder, link: us.nic.link, events };
}

const heard = (events: readonly NeighbourEvent[]) =>
  events.map((event) => `${event.kind} at ${event.at}`);

test('an answer takes the way there and back', async () => {
  const { clock, us, link, events } = openSegment();
  us.neighbours.probe({ link, ip: vip });
  await clock.advance(100);
  assert.deepEqual(heard(events), ['arp at 4']);
});

test('what the segment does not let pass does not arrive', async () => {
  const { clock, segment, us, link, events } = openSegment();
  segment.passes = (frame) => frame.kind !== 'arp' || frame.operation === 'request';
  us.neighbours.probe({ link, ip: vip });
  await clock.advance(100);
  assert.deepEqual(events, []);
});

test('a stalled process hears late what was stamped in time', async () => {
  const { clock, us, link, events } = openSegment();
  us.neighbours.probe({ link, ip: vip });
  us.neighbours.isStalled = true;
  await clock.advance(500);
  assert.deepEqual(events, []);
  us.neighbours.isStalled = false;
  await clock.settle();
  assert.deepEqual(heard(events), ['arp at 4']);
});

test('a process stalled for too long has lost frames, and is told so', async () => {
  const { clock, us, holder, link, events } = openSegment();
  us.neighbours.isStalled = true;
  for (let count = 0; count < 1010; count++) {
    holder.neighbours.announce({ link: holder.nic.link, ip: vip, forms: ['request'] });
  }
  await clock.advance(500);
  us.neighbours.isStalled = false;
  us.neighbours.drain(link);
  assert.equal(events.length, 1001);
  assert.deepEqual(events.at(-1), { kind: 'lost', count: 10, at: 500 });
  assert.equal(us.neighbours.counters().framesLost, 10);
});

test('a full queue fails the frame', () => {
  const { us, link } = openSegment();
  us.nic.isQueueFull = true;
  const failure = { kind: 'failed', reason: 'no-buffer-space', errno: 105 };
  assert.deepEqual(us.neighbours.probe({ link, ip: vip }), failure);
  assert.equal(us.neighbours.counters().framesFailed, 1);
});

test('with arp_ignore=1 an address on another link is not answered', async () => {
  const { clock, us, holder, link, events } = openSegment();
  const ip = ipOf('192.0.2.200');
  const other = { index: 3, name: 'kube-ipvs0', mac: macOf('02:00:5e:10:aa:aa') };
  holder.host.addNic({ link: other, addresses: new Set([ip]) });
  holder.host.arpIgnore = 1;
  us.neighbours.probe({ link, ip });
  us.neighbours.probe({ link, ip: vip });
  await clock.advance(100);
  assert.deepEqual(
    events.map((event) => ('from' in event ? claimIn(event)?.ip : event.kind)),
    [vip],
  );
});

test('a table believes a second change within a second only if it is gratuitous', async () => {
  const { clock, us, holder, link } = openSegment();
  const other = { ...holder.nic.link, mac: macOf('02:00:5e:10:00:09') };
  us.nic.ping(vip, us.ips.ipv4, clock.monotonic());
  await clock.advance(100);
  const claimByQuestion = (from: typeof link) =>
    holder.neighbours.probe({ link: from, ip: ipOf('192.0.2.77'), source: vip });
  claimByQuestion(other);
  await clock.advance(100);
  assert.equal(us.nic.neighbours.get(vip), holder.nic.mac);
  holder.neighbours.announce({ link: other, ip: vip, forms: ['reply'] });
  await clock.advance(1100);
  assert.equal(us.nic.neighbours.get(vip), other.mac);
  claimByQuestion(holder.nic.link);
  await clock.advance(100);
  assert.equal(us.nic.neighbours.get(vip), holder.nic.mac);
});

test('a host that cannot find the asker asks again, once a second', async () => {
  const { clock, us, holder, link, events } = openSegment();
  us.held.delete(us.ips.ipv4);
  const echo = { link, ip: vip, to: holder.nic.mac, source: us.ips.ipv4 };
  for (let sequence = 0; sequence < 20; sequence++) {
    us.neighbours.echo({ ...echo, sequence });
    await clock.advance(100);
  }
  assert.deepEqual(heard(events), ['arp at 4', 'arp at 1004']);
  us.held.add(us.ips.ipv4);
  us.neighbours.echo({ ...echo, sequence: 20 });
  await clock.advance(100);
  us.neighbours.drain(link);
  assert.equal(events.filter(({ kind }) => kind === 'echo-reply').length, 21);
});
