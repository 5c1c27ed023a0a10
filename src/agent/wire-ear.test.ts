import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeHost } from '../linux/fake-host.ts';
import { FakeNeighbours } from '../linux/fake-neighbours.ts';
import { FakeSegment } from '../linux/fake-segment.ts';
import type { NeighbourListener, Neighbours } from '../linux/neighbours.ts';
import { type Ip, ipOf } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import { macOf } from '../model/mac.ts';
import type { NeighbourEvent } from '../model/neighbour-event.ts';
import { namedMac } from '../model/neighbour-frame.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { announcementFrames } from '../wire/announcement.ts';
import { probeFrame } from '../wire/probe.ts';
import { WireEar } from './wire-ear.ts';

const vips = [ipOf('192.0.2.100'), ipOf('2001:db8::100')];

function linkOf(number: number): Link & { readonly mac: ReturnType<typeof macOf> } {
  return {
    index: 2,
    name: 'eth0',
    mac: macOf(`02:00:5e:10:00:0${number}`),
    mtu: 1500,
    isUp: true,
    hasCarrier: true,
    operState: 'up',
    isLoopback: false,
    isNoArp: false,
  };
}

/** Two hosts on a LAN: an ear on the first, another host that holds what it is given. */
function build() {
  const clock = new ManualClock();
  const segment = new FakeSegment({ clock });
  const [mine, other] = [1, 2].map((number) => {
    const host = new FakeHost();
    const held = new Set<Ip>([ipOf(`192.0.2.${number}`), ipOf(`2001:db8::${number}`)]);
    host.addNic({ link: linkOf(number), segment, addresses: held });
    const neighbours = new FakeNeighbours({ host, clock, identifier: number });
    return { held, neighbours };
  });
  assert.ok(mine !== undefined && other !== undefined);
  const failures: string[] = [];
  const news = { count: 0, answers: 0 };
  const ear = new WireEar({
    neighbours: mine.neighbours,
    clock,
    onNews: () => {
      news.count += 1;
    },
    onAnswer: () => {
      news.answers += 1;
    },
    onFailure: (link) => failures.push(link),
  });
  ear.attend([linkOf(1)], new Set(vips));
  return { clock, ear, mine, other, news, failures };
}

test('who says the same as before is no news, though what was said is long forgotten', async () => {
  const { clock, ear, other, news } = build();
  // As a kernel looks for a client that it has an answer for, from the address that was asked.
  const showAll = async () => {
    for (const source of vips) {
      const ip = ipOf(source.includes(':') ? '2001:db8::50' : '192.0.2.50');
      other.neighbours.probe({ link: linkOf(2), ip, source });
    }
    await clock.advance(20);
  };
  const claimed = () => vips.map((ip) => ear.claims.get(ip)?.mac);
  await showAll();
  assert.deepEqual([claimed(), news.count], [[linkOf(2).mac, linkOf(2).mac], 2]);
  await clock.advance(61_000);
  ear.attend([linkOf(1)], new Set(vips));
  assert.deepEqual(claimed(), [undefined, undefined]);
  await showAll();
  assert.deepEqual([claimed(), news.count], [[linkOf(2).mac, linkOf(2).mac], 2]);
});

test('a stranger that goes on speaking from an address is news each time, twice a second at most', async () => {
  const { clock, ear, other, news } = build();
  const speak = async (ms: number) => {
    for (const source of vips) {
      const ip = ipOf(source.includes(':') ? '2001:db8::50' : '192.0.2.50');
      other.neighbours.probe({ link: linkOf(2), ip, source });
    }
    await clock.advance(ms);
    return [...vips.map((ip) => ear.claims.get(ip)?.at), news.count];
  };
  ear.attend([linkOf(1)], new Set(vips), new Map());
  const first = await speak(100);
  assert.equal(first.at(-1), 2);
  assert.deepEqual(await speak(500), first);
  const third = await speak(600);
  assert.deepEqual([third.at(-1), third[0] !== first[0], third[1] !== first[1]], [4, true, true]);
  ear.attend([linkOf(1)], new Set(vips), new Map([[linkOf(2).mac, 'node2']]));
  assert.deepEqual(await speak(600), third);
});

test('answers to echoes, ten a second from each holder, are no news', async () => {
  const { clock, ear, mine, other, news } = build();
  const askAll = async () => {
    for (const ip of vips) {
      other.held.add(ip);
      const source = ipOf(ip.includes(':') ? '2001:db8::1' : '192.0.2.1');
      mine.neighbours.echo({ link: linkOf(1), ip, to: linkOf(2).mac, source, sequence: 1 });
    }
    await clock.advance(20);
    ear.drain();
  };
  // The holder has yet to find out where answers go, and shows itself by asking.
  await askAll();
  await clock.advance(61_000);
  ear.attend([linkOf(1)], new Set(vips));
  const before = { news: news.count, heard: mine.neighbours.counters().framesHeard };
  await askAll();
  const after = { news: news.count, heard: mine.neighbours.counters().framesHeard };
  assert.deepEqual(after, { news: before.news, heard: before.heard + 2 });
});

const ask = (ip: Ip, isFirst = true) => ({ ip, link: 'eth0', isFirst, to: [] });

for (const ip of vips) {
  test(`whoever holds ${ip} is heard when asked, and makes news`, async () => {
    const { clock, ear, other, news } = build();
    other.held.add(ip);
    ear.ask([ask(ip)], [linkOf(1)]);
    await clock.advance(20);
    ear.drain();
    const look = ear.looks.get(ip);
    assert.deepEqual(
      { sentAt: look?.sentAt, macs: look?.answers.map(({ mac }) => mac), isDeaf: look?.isDeaf },
      { sentAt: [0], macs: [linkOf(2).mac], isDeaf: false },
    );
    assert.ok(news.answers > 0);
  });

  test(`silence about ${ip} is silence, and a second probe belongs to the same look`, async () => {
    const { clock, ear, news } = build();
    ear.ask([ask(ip)], [linkOf(1)]);
    await clock.advance(20);
    ear.ask([ask(ip, false)], [linkOf(1)]);
    await clock.advance(20);
    ear.drain();
    const sent = { sentAt: [0, 20], sendingMs: 0, isRepeated: false };
    const expected = { link: 'eth0', ...sent, answers: [], isDeaf: false };
    assert.deepEqual(ear.looks.get(ip), expected);
    assert.deepEqual(news, { count: 0, answers: 0 });
  });

  test(`what is to be asked twice about ${ip} is asked again without being told`, async () => {
    const { clock, ear } = build();
    ear.ask([{ ...ask(ip), repeatMs: 20 }], [linkOf(1)]);
    assert.equal(ear.looks.get(ip)?.isRepeated, true);
    await clock.advance(60);
    const sent = { sentAt: [0, 20], sendingMs: 0, isRepeated: false };
    const expected = { link: 'eth0', ...sent, answers: [], isDeaf: false };
    assert.deepEqual(ear.looks.get(ip), expected);
  });

  test(`it is not asked again once ${ip} was answered, asked anew, or the ear stopped`, async () => {
    const { clock, ear, other } = build();
    const twice = { ...ask(ip), repeatMs: 20 };
    ear.ask([twice], [linkOf(1)]);
    await clock.advance(10);
    ear.ask([ask(ip)], [linkOf(1)]);
    await clock.advance(60);
    assert.deepEqual(ear.looks.get(ip)?.sentAt, [10]);
    other.held.add(ip);
    ear.ask([twice], [linkOf(1)]);
    await clock.advance(60);
    assert.deepEqual(ear.looks.get(ip)?.sentAt, [70]);
    other.held.delete(ip);
    ear.ask([twice], [linkOf(1)]);
    ear.stop();
    await clock.advance(60);
    assert.equal(ear.looks.get(ip), undefined);
  });

  test(`an announcement of ${ip} is a claim, for a minute`, async () => {
    const { clock, ear, other } = build();
    other.held.add(ip);
    other.neighbours.announce({ link: linkOf(2), ip });
    await clock.advance(5);
    assert.equal(ear.claims.get(ip)?.mac, linkOf(2).mac);
    assert.deepEqual([...(ear.announcements.get(ip)?.keys() ?? [])], [linkOf(2).mac]);
    await clock.advance(61_000);
    ear.attend([linkOf(1)], new Set(vips));
    assert.deepEqual([ear.claims.get(ip), ear.announcements.get(ip)], [undefined, undefined]);
  });

  test(`who asks everyone for ${ip} is heard, and once is news enough`, async () => {
    const { clock, ear, other, news } = build();
    other.neighbours.probe({ link: linkOf(2), ip });
    await clock.advance(5);
    assert.deepEqual([...(ear.probes.get(ip)?.keys() ?? [])], [linkOf(2).mac]);
    other.neighbours.probe({ link: linkOf(2), ip });
    other.neighbours.probe({ link: linkOf(2), ip, to: linkOf(1).mac });
    await clock.advance(5);
    assert.equal(news.count, 1);
    await clock.advance(61_000);
    ear.attend([linkOf(1)], new Set(vips));
    assert.equal(ear.probes.get(ip), undefined);
  });
}

test('an answer is no claim: routers with proxy ARP answer for everything', async () => {
  const { clock, ear, other } = build();
  const ip = ipOf('192.0.2.100');
  other.held.add(ip);
  ear.ask([ask(ip)], [linkOf(1)]);
  await clock.advance(20);
  ear.drain();
  assert.equal(ear.looks.get(ip)?.answers.length, 1);
  assert.equal(ear.claims.get(ip), undefined);
});

test('claims of addresses that are nobody’s business are not kept', async () => {
  const { clock, ear, other } = build();
  other.neighbours.announce({ link: linkOf(2), ip: ipOf('192.0.2.77') });
  await clock.advance(5);
  assert.deepEqual([...ear.claims], []);
});

test('without an ear on the link silence proves nothing', async () => {
  const { clock, ear } = build();
  ear.attend([], new Set(vips));
  ear.ask([ask(ipOf('192.0.2.100'))], [linkOf(1)]);
  await clock.advance(20);
  assert.equal(ear.looks.get(ipOf('192.0.2.100'))?.isDeaf, true);
});

test('a link without neighbours is silent for good', () => {
  const { ear } = build();
  ear.ask([ask(ipOf('192.0.2.100'))], [{ ...linkOf(1), isNoArp: true }]);
  assert.equal(ear.looks.get(ipOf('192.0.2.100'))?.isDeaf, false);
});

/** Neighbours by which nothing is heard but what is told here. */
function stubNeighbours(more: Partial<Neighbours>) {
  const told: { listener: NeighbourListener } = { listener: () => {} };
  const sent = () => ({ kind: 'sent' }) as const;
  const neighbours: Neighbours = {
    listen: (_link, hear) => {
      told.listener = hear;
      return { kind: 'listening', stop: () => {} };
    },
    probe: sent,
    echo: sent,
    announce: sent,
    drain: () => {},
    counters: () => ({
      framesSent: 0,
      framesFailed: 0,
      framesHeard: 0,
      framesLost: 0,
      framesMalformed: 0,
    }),
    close: () => {},
    ...more,
  };
  return { neighbours, told };
}

function replyFor(ip: Ip, at: number, from = linkOf(2).mac): NeighbourEvent {
  const to = linkOf(1).mac;
  const stations = { sender: { ip, mac: from }, target: { ip, mac: to } };
  return { kind: 'arp', operation: 'reply', from, to, at, ...stations };
}

test('an answer that is there before the question is sent off counts as its answer', () => {
  let now = 1000;
  // Every look at the clock takes its time, as on a busy machine.
  const clock = Object.assign(new ManualClock(), { monotonic: () => (now += 1) });
  const [ip = ipOf('192.0.2.100')] = vips;
  const { neighbours, told } = stubNeighbours({
    probe: () => {
      told.listener(replyFor(ip, clock.monotonic()));
      return { kind: 'sent' };
    },
  });
  const deaf = { onNews: () => {}, onAnswer: () => {}, onFailure: () => {} };
  const ear = new WireEar({ neighbours, clock, ...deaf });
  ear.attend([linkOf(1)], new Set(vips));
  ear.ask([ask(ip)], [linkOf(1)]);
  ear.ask([ask(ip, false)], [linkOf(1)]);
  const look = ear.looks.get(ip);
  assert.ok((look?.sentAt.at(-1) ?? Infinity) <= (look?.answers.at(-1)?.at ?? 0));
});

test('an answer calls for a pass, but not one that a pass took in itself', () => {
  const clock = new ManualClock();
  const [ip = ipOf('192.0.2.100')] = vips;
  const waiting: NeighbourEvent[] = [];
  const { neighbours, told } = stubNeighbours({
    drain: () => {
      for (const event of waiting.splice(0)) told.listener(event);
    },
  });
  let answers = 0;
  const onAnswer = () => {
    answers += 1;
  };
  const ear = new WireEar({ neighbours, clock, onAnswer, onNews: () => {}, onFailure: () => {} });
  ear.attend([linkOf(1)], new Set(vips));
  ear.ask([ask(ip)], [linkOf(1)]);
  waiting.push(replyFor(ip, 1));
  ear.drain();
  assert.deepEqual([ear.looks.get(ip)?.answers.length, answers], [1, 0]);
  told.listener(replyFor(ip, 2));
  assert.deepEqual([ear.looks.get(ip)?.answers.length, answers], [1, 0]);
  told.listener(replyFor(ip, 3, linkOf(3).mac));
  assert.deepEqual([ear.looks.get(ip)?.answers.length, answers], [2, 1]);
});

const identities = new Map([
  [linkOf(1).mac, 'node1'],
  [linkOf(2).mac, 'node2'],
]);
const forger = linkOf(6).mac;

for (const ip of vips) {
  test(`an answer, an announcement or a probe for ${ip} that somebody sends in the name of a member is not believed`, () => {
    const clock = new ManualClock();
    const { neighbours, told } = stubNeighbours({});
    let news = 0;
    const count = () => {
      news += 1;
    };
    const ear = new WireEar({
      neighbours,
      clock,
      onNews: count,
      onAnswer: count,
      onFailure: () => {},
    });
    ear.attend([linkOf(1)], new Set(vips), identities);
    ear.ask([ask(ip)], [linkOf(1)]);
    const { mac } = linkOf(2);
    const frames = [...announcementFrames({ ip, mac }), probeFrame({ ip, mac })];
    for (const frame of frames) told.listener({ ...frame, from: forger, at: 1 });
    const kept = () => [
      ear.looks.get(ip)?.answers.length,
      ear.claims.get(ip),
      ear.announcements.get(ip),
      ear.probes.get(ip),
      news,
    ];
    // Duplicate address detection names nobody but the Ethernet sender.
    const isBare = frames.filter((frame) => namedMac(frame) === undefined).length;
    assert.deepEqual(kept().slice(0, 3), [0, undefined, undefined]);
    assert.equal(ear.mismatched, frames.length - isBare);
    assert.equal([...(ear.probes.get(ip)?.keys() ?? [])].includes(mac), false);
    for (const frame of frames) told.listener({ ...frame, at: 2 });
    assert.deepEqual([...(ear.announcements.get(ip)?.keys() ?? [])], [mac]);
    assert.ok(ear.probes.get(ip)?.has(mac));
  });
}

test('before the members are known an answer in another name is no answer', () => {
  const [ip = ipOf('192.0.2.100')] = vips;
  const { neighbours, told } = stubNeighbours({});
  const deaf = { onNews: () => {}, onAnswer: () => {}, onFailure: () => {} };
  const ear = new WireEar({ neighbours, clock: new ManualClock(), ...deaf });
  ear.attend([linkOf(1)], new Set(vips));
  ear.ask([ask(ip)], [linkOf(1)]);
  told.listener({ ...replyFor(ip, 1), from: forger } as NeighbourEvent);
  assert.equal(ear.looks.get(ip)?.answers.length, 0);
  told.listener(replyFor(ip, 1));
  assert.equal(ear.looks.get(ip)?.answers.length, 1);
});
