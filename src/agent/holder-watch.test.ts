import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTrustworthy } from '../decide/announcement/trust-frame.ts';
import type { Watch } from '../decide/failover/assign-watches.ts';
import { startWatching } from '../decide/failover/watch-state.ts';
import { FakeHost } from '../linux/fake-host.ts';
import { FakeNeighbours } from '../linux/fake-neighbours.ts';
import { FakeSegment } from '../linux/fake-segment.ts';
import { type Ip, ipOf } from '../model/ip.ts';
import { macOf } from '../model/mac.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { announcementFrames } from '../wire/announcement.ts';
import { HolderWatch } from './holder-watch.ts';
import { interestOf, noteHolderAnswer } from './watch-target.ts';

const timings = {
  probeIntervalMs: 100,
  misses: 5,
  confirmMs: 100,
  rankDelayMs: 60,
  stallMs: 400,
  linkSettleMs: 5_000,
  restartGraceMs: 120_000,
  handoverOverlapMs: 500,
  handoverTimeoutMs: 3_000,
  damping: { moves: 3, windowMs: 180_000, holdMs: 180_000 },
  maxFramesPerSecond: undefined,
};

const identities = new Map(
  [1, 2, 3].map((number) => [macOf(`02:00:00:00:00:0${number}`), `node${number}`]),
);

/** Host n is 192.0.2.n; the first one watches the second, which holds two addresses more; the third is a beacon. */
function makeLan() {
  const clock = new ManualClock();
  const segment = new FakeSegment({ clock });
  const [me, holder, third] = [1, 2, 3].map((number) => {
    const host = new FakeHost();
    const mac = macOf(`02:00:00:00:00:0${number}`);
    const addresses = new Set<Ip>([ipOf(`192.0.2.${number}`)]);
    const nic = host.addNic({ link: { index: 2, name: 'eth0', mac }, segment, addresses });
    return { host, nic, addresses };
  });
  assert.ok(me !== undefined && holder !== undefined && third !== undefined);
  for (const ip of ['192.0.2.100', '192.0.2.101']) holder.addresses.add(ipOf(ip));
  const neighbours = new FakeNeighbours({ host: me.host, clock, identifier: 1 });
  const told: string[] = [];
  const ticks: number[] = [];
  const plans: number[] = [];
  const doubts = new Set<string>();
  const hints: string[] = [];
  const missed: string[] = [];
  const say = (text: string) => told.push(`${Math.round(clock.monotonic())}: ${text}`);
  const watch = new HolderWatch({
    neighbours,
    clock,
    believes: (frame) => isTrustworthy(frame, identities),
    onTick: () => ticks.push(clock.monotonic()),
    onPlan: (at) => plans.push(at),
    onMissed: ({ holder: name }) => missed.push(`${Math.round(clock.monotonic())}: ${name}`),
    onSilent: ({ holder: name }) => say(`${name} is silent`),
    onOrphan: ({ holder: name }, ip) => hints.push(`${ip} of ${name}`),
    onDoubt: (link, because) => doubts.add(`${link} ${because}`),
    onNews: () => say(describe(watch)),
  });
  return {
    clock,
    segment,
    me,
    holder,
    third,
    neighbours,
    watch,
    told,
    ticks,
    plans,
    doubts,
    hints,
    missed,
  };
}

function describe({ silent, orphans }: HolderWatch): string {
  const nodes = [...silent].map(([link, names]) => `${link} ${[...names].join()}`);
  const ips = [...orphans].map(([ip, names]) => `${ip} not on ${[...names].join()}`);
  return [...nodes, ...ips].join('; ') || 'all well';
}

const second: Watch = {
  holder: 'node2',
  link: 'eth0',
  macs: [macOf('02:00:00:00:00:02')],
  nodeIps: [ipOf('192.0.2.2')],
  ips: [ipOf('192.0.2.100'), ipOf('192.0.2.101')],
  beacons: [{ who: 'node3', ip: ipOf('192.0.2.3'), mac: macOf('02:00:00:00:00:03') }],
};

function roundOf(lan: ReturnType<typeof makeLan>, watches: readonly Watch[]) {
  const source = { ipv4: ipOf('192.0.2.1') };
  return { watches, links: [{ link: lan.me.nic.link, source }], timings };
}

test('a holder that dies is found silent, and that it is back', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(5_000);
  lan.holder.host.isAlive = false;
  await lan.clock.advance(5_000);
  assert.deepEqual(lan.told, ['5600: node2 is silent', '5600: eth0 node2']);
  assert.deepEqual(lan.missed, ['5500: node2']);
  lan.holder.host.isAlive = true;
  await lan.clock.advance(500);
  assert.match(lan.told.at(-1) ?? '', /^10[12]00: all well$/);
});

test('an announcement is no answer: what was announced is not asked for by ARP', async () => {
  const lan = makeLan();
  const announcer = new FakeNeighbours({ host: lan.holder.host, clock: lan.clock, identifier: 2 });
  lan.watch.attend(roundOf(lan, [second]));
  for (const ip of second.ips) announcer.announce({ link: lan.holder.nic.link, ip });
  const asked: string[] = [];
  lan.segment.passes = (frame) => {
    const isQuestion = frame.kind === 'arp' && frame.operation === 'request';
    if (isQuestion && frame.from === lan.me.nic.link.mac) asked.push(frame.target.ip);
    return true;
  };
  await lan.clock.advance(10_000);
  assert.deepEqual(asked, []);
});

test('all of that costs ten frames a second, and no ARP while all is well', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(1_000);
  const before = lan.neighbours.counters().framesSent;
  const arps: string[] = [];
  lan.segment.passes = (frame) => {
    if (frame.kind === 'arp') arps.push(frame.kind);
    return true;
  };
  await lan.clock.advance(10_000);
  assert.equal(lan.neighbours.counters().framesSent - before, 100);
  assert.deepEqual(arps, []);
});

test('whoever is well is asked at the same time, whenever it was first asked', async () => {
  const lan = makeLan();
  const third: Watch = {
    ...second,
    holder: 'node3',
    macs: [macOf('02:00:00:00:00:03')],
    nodeIps: [ipOf('192.0.2.3')],
    ips: [],
    beacons: [],
  };
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(1_030);
  lan.watch.attend(roundOf(lan, [second, third]));
  await lan.clock.advance(1_000);
  const before = lan.ticks.length;
  await lan.clock.advance(3_000);
  assert.equal(lan.ticks.length - before, 30);
  assert.deepEqual(lan.told, []);
});

test('whoever misses an answer is asked at its own time', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(5_000);
  lan.holder.host.isAlive = false;
  await lan.clock.advance(130);
  const other = { ...second, holder: 'node3', macs: [macOf('02:00:00:00:00:03')], beacons: [] };
  lan.watch.attend(roundOf(lan, [second, { ...other, nodeIps: [ipOf('192.0.2.3')], ips: [] }]));
  await lan.clock.advance(5_000);
  assert.deepEqual(lan.told, ['5600: node2 is silent', '5600: eth0 node2']);
});

test('an address that its holder lost is an orphan', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(5_000);
  lan.holder.addresses.delete(ipOf('192.0.2.101'));
  await lan.clock.advance(3_000);
  assert.match(lan.told.join(), /^(5[6-9]|6\d)00: 192\.0\.2\.101 not on node2$/);
  assert.deepEqual(lan.hints, ['192.0.2.101 of node2']);
});

test('a hint of an orphan makes it look at once, remember it for a while, and tell nobody', async () => {
  const lan = makeLan();
  const ip = ipOf('192.0.2.101');
  lan.watch.attend(roundOf(lan, []));
  lan.watch.suspectOrphan({ ...second, ips: [] }, ip);
  await lan.clock.advance(1_000);
  assert.deepEqual(lan.told, []);
  lan.watch.stop();
  lan.watch.attend(roundOf(lan, []));
  lan.holder.addresses.delete(ip);
  lan.watch.suspectOrphan({ ...second, ips: [] }, ip);
  await lan.clock.advance(500);
  lan.watch.attend(roundOf(lan, []));
  assert.deepEqual([describe(lan.watch), lan.hints], ['192.0.2.101 not on node2', []]);
  await lan.clock.advance(5_000);
  lan.watch.attend(roundOf(lan, []));
  assert.equal(describe(lan.watch), 'all well');
});

test('a hint of an orphan is looked into at once where it would have been its turn much later', async () => {
  const lan = makeLan();
  const ips = Array.from({ length: 100 }, (_, index) => ipOf(`192.0.2.${100 + index}`));
  for (const ip of ips) lan.holder.addresses.add(ip);
  lan.watch.attend(roundOf(lan, [{ ...second, ips }]));
  await lan.clock.advance(12_000);
  const [, , , lost = ipOf('192.0.2.103')] = ips;
  lan.holder.addresses.delete(lost);
  lan.watch.suspectOrphan({ ...second, ips }, lost);
  await lan.clock.advance(600);
  assert.equal(describe(lan.watch), `${lost} not on node2`);
});

test('who is cut off finds nobody silent', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(5_000);
  lan.segment.passes = (_frame, from, to) => from !== lan.me.nic && to !== lan.me.nic;
  await lan.clock.advance(30_000);
  lan.segment.passes = () => true;
  await lan.clock.advance(5_000);
  assert.deepEqual(lan.told, []);
});

test('who is cut off, or cannot send, doubts itself', async () => {
  const cut = makeLan();
  cut.watch.attend(roundOf(cut, [second]));
  await cut.clock.advance(2_000);
  assert.deepEqual([...cut.doubts], []);
  cut.segment.passes = (_frame, from, to) => from !== cut.me.nic && to !== cut.me.nic;
  await cut.clock.advance(2_000);
  assert.deepEqual([...cut.doubts], ['eth0 isolated']);
  const full = makeLan();
  full.watch.attend(roundOf(full, [second]));
  full.me.nic.isQueueFull = true;
  await full.clock.advance(200);
  assert.deepEqual([...full.doubts], ['eth0 sendFailed']);
});

test('a hint makes it look at once at someone it does not watch', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, []));
  lan.watch.suspect(second);
  await lan.clock.advance(1_000);
  assert.deepEqual(lan.told, []);
  lan.holder.host.isAlive = false;
  lan.watch.attend(roundOf(lan, []));
  lan.watch.suspect(second);
  await lan.clock.advance(1_000);
  assert.deepEqual(lan.told, ['1100: node2 is silent', '1100: eth0 node2']);
  // Whoever gave the hint gave it to everyone.
  assert.deepEqual(lan.missed, []);
});

test('one that is silent is asked on though nobody wants it watched any more', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(2_000);
  lan.holder.host.isAlive = false;
  await lan.clock.advance(2_000);
  lan.watch.attend(roundOf(lan, []));
  assert.equal(describe(lan.watch), 'eth0 node2');
  lan.holder.host.isAlive = true;
  await lan.clock.advance(1_000);
  assert.equal(describe(lan.watch), 'all well');
});

test('stopped, it asks nobody', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(1_000);
  lan.watch.stop();
  const before = lan.neighbours.counters().framesSent;
  await lan.clock.advance(1_000);
  assert.equal(lan.neighbours.counters().framesSent, before);
});

test('whom it watches can be seen', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(1_000);
  const watched = { holder: 'node2', link: 'eth0', addresses: 2, orphans: [] };
  assert.deepEqual(lan.watch.holders, [{ ...watched, state: 'watching' }]);
  const deaf = makeLan();
  deaf.holder.host.isAlive = false;
  deaf.watch.attend(roundOf(deaf, [second]));
  await deaf.clock.advance(5_000);
  assert.deepEqual(deaf.watch.holders, [{ ...watched, state: 'unwatchable' }]);
});

test('one that dies before it first answered is found silent by who is told to look', async () => {
  const lan = makeLan();
  lan.holder.host.isAlive = false;
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(1_000);
  lan.watch.suspect({ ...second, ips: [] });
  await lan.clock.advance(500);
  assert.deepEqual(lan.told, ['1100: node2 is silent', '1100: eth0 node2']);
});

test('of who is back is known at once that it was away, and since when', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(5_000);
  lan.holder.host.isAlive = false;
  await lan.clock.advance(3_000);
  assert.equal(lan.watch.absences.length, 0);
  lan.holder.host.isAlive = true;
  await lan.clock.advance(150);
  const [absence] = lan.watch.absences;
  assert.ok(absence !== undefined);
  const { from, to, ...who } = absence;
  assert.deepEqual(who, { node: 'node2', link: 'eth0' });
  assert.ok(4_800 <= from && from <= 5_000 && 8_000 <= to, `${from} to ${to}`);
});

test('whoever relies on its ticks knows when the next one comes, and that none does', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(3_000);
  const planned = new Set(lan.plans);
  assert.ok(lan.ticks.length >= 30);
  assert.deepEqual(
    lan.ticks.slice(1).filter((at) => !planned.has(at)),
    [],
  );
  assert.equal(lan.plans.at(-1), (lan.ticks.at(-1) ?? 0) + timings.probeIntervalMs);
  lan.watch.attend(roundOf(lan, []));
  assert.equal(lan.plans.at(-1), Infinity);
  lan.watch.attend(roundOf(lan, [second]));
  assert.ok((lan.plans.at(-1) ?? 0) <= lan.clock.monotonic());
  lan.watch.stop();
  assert.equal(lan.plans.at(-1), Infinity);
});

test('one that holds nothing and is doubted is looked at closer at once, and not over and over', async () => {
  const lan = makeLan();
  const idle = { ...second, ips: [] };
  lan.watch.attend(roundOf(lan, [idle]));
  await lan.clock.advance(5_000);
  const before = lan.neighbours.counters().framesSent;
  for (let count = 0; count < 10; count += 1) lan.watch.suspect(idle);
  await lan.clock.advance(1);
  assert.equal(lan.neighbours.counters().framesSent - before, 2);
  await lan.clock.advance(1_000);
  assert.deepEqual(lan.told, []);
  lan.holder.host.isAlive = false;
  lan.watch.suspect(idle);
  await lan.clock.advance(150);
  assert.deepEqual(lan.told, ['6101: node2 is silent', '6101: eth0 node2']);
});

test('forged answers in the name of a dead holder do not keep it alive', async () => {
  const lan = makeLan();
  lan.watch.attend(roundOf(lan, [second]));
  await lan.clock.advance(5_000);
  lan.holder.host.isAlive = false;
  const [holder] = second.macs;
  assert.ok(holder !== undefined);
  const forger = macOf('02:00:00:00:00:66');
  // The content names the forger, the Ethernet header the holder; and the other way round.
  const say = () => {
    for (const ip of [...second.ips, ...second.nodeIps]) {
      for (const frame of announcementFrames({ ip, mac: forger, forms: ['reply'] })) {
        lan.me.nic.receive({ ...frame, from: holder }, lan.clock.monotonic());
      }
      for (const frame of announcementFrames({ ip, mac: holder, forms: ['reply'] })) {
        lan.me.nic.receive({ ...frame, from: forger }, lan.clock.monotonic());
      }
    }
    lan.clock.after(5, say);
  };
  say();
  await lan.clock.advance(2_000);
  assert.equal(lan.told[0], '5600: node2 is silent');
});

test('answers in a member’s name are counted once between two steps, however many come', () => {
  const target = {
    watch: second,
    interest: interestOf(second),
    state: startWatching(),
    answers: new Map(),
    wakeAt: 0,
    heardAt: 0,
  };
  for (let at = 0; at < 10_000; at += 1) {
    const strange = ipOf(`198.51.100.${at % 256}`);
    for (const ip of [...second.ips, strange]) {
      for (const by of ['echo', 'probe'] as const) noteHolderAnswer(target, { ip, by, at });
    }
  }
  assert.equal(target.answers.size, 2 * (second.ips.length + 1));
  assert.ok([...target.answers.values()].every(({ at }) => at === 9_999));
});
