import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../../model/ip.ts';
import { macOf } from '../../model/mac.ts';
import type { Watch } from './assign-watches.ts';
import { type HolderAnswer, watchHolder } from './watch-holder.ts';
import {
  forgetOthers,
  isUnwatchable,
  type Method,
  startSuspecting,
  startWatching,
  type WatchState,
} from './watch-state.ts';

const nodeIp = ipOf('192.0.2.11');
const [vip1, vip2, vip3] = ['192.0.2.100', '192.0.2.101', '2001:db8::100'].map(ipOf) as [
  Ip,
  Ip,
  Ip,
];
const timings = { probeIntervalMs: 100, misses: 5, confirmMs: 100 };

const watch: Watch = {
  holder: 'node1',
  link: 'eth0',
  macs: [macOf('02:00:00:00:00:11')],
  nodeIps: [nodeIp],
  ips: [vip1, vip2, vip3],
  beacons: [],
};

interface World {
  /** Whether a question at that time is answered. */
  readonly answers: (ip: Ip, at: number, by: Method) => boolean;
  readonly delayMs: number;
  readonly othersAnswer: (now: number) => boolean;
  readonly isDeaf: (now: number) => boolean;
  readonly watch: (now: number) => Watch;
  /** Times at which the watcher does not run. */
  readonly isStalled: (now: number) => boolean;
}

const usual = {
  delayMs: 1,
  othersAnswer: () => true,
  isDeaf: () => false,
  watch: () => watch,
  isStalled: () => false,
};

/** Runs by ticks of 10 ms until the time; returns what changed, as lines, and what was asked. */
function run(
  changes: Partial<World> & Pick<World, 'answers'>,
  untilMs: number,
  first = startWatching(),
) {
  const world = { ...usual, ...changes };
  const lines: string[] = [];
  const asked: HolderAnswer[] = [];
  let state: WatchState = first;
  let replies: readonly HolderAnswer[] = [];
  let othersAskedAt = 0;
  let wakeAt = 0;
  for (let now = 0; now <= untilMs; now += 10) {
    if (world.isStalled(now) || now < wakeAt) continue;
    const answers = replies.filter(({ at }) => at <= now);
    const current = world.watch(now);
    const input = { watch: current, isDeaf: world.isDeaf(now), timings, now };
    const step = watchHolder(forgetOthers(state, current), { ...input, answers, othersAskedAt });
    if (describe(step.state) !== describe(state)) lines.push(`${now}: ${describe(step.state)}`);
    if (step.asksBeacons && world.othersAnswer(now)) othersAskedAt = now;
    const sent = step.asks.map((question) => ({ ...question, at: now }));
    asked.push(...sent);
    replies = [...replies.filter(({ at }) => at > now), ...replyTo(sent, world)];
    ({ state, wakeAt } = step);
  }
  return { lines, asked, state };
}

function replyTo(sent: readonly HolderAnswer[], { answers, delayMs }: World) {
  return sent
    .filter(({ ip, at, by }) => answers(ip, at, by))
    .map((question) => ({ ...question, at: question.at + delayMs }));
}

function describe({ phase, orphans }: WatchState): string {
  const lost = [...orphans].sort();
  return `${phase.kind}${lost.length === 0 ? '' : ` without ${lost.join(' ')}`}`;
}

const byEcho = (_ip: Ip, _at: number, by: Method) => by === 'echo';

test('a holder that answers is asked ten times a second, whatever the number of addresses', () => {
  const { lines, asked } = run({ answers: byEcho }, 60_000);
  assert.deepEqual(lines, []);
  assert.equal(asked.length, 601);
  const counts = Map.groupBy(asked, ({ ip }) => ip);
  assert.deepEqual(
    [...counts].map(([ip, all]) => [ip, Math.round(all.length / 15)]).sort(),
    [
      [vip1, 10],
      [vip2, 10],
      [nodeIp, 10],
      [vip3, 10],
    ].sort(),
  );
});

test('a holder that dies is silent after five misses and a closer look', () => {
  const { lines } = run({ answers: (...of) => byEcho(...of) && of[1] < 5_000 }, 8_000);
  assert.deepEqual(lines, ['5500: confirming', '5600: silent']);
});

const crowd = Array.from({ length: 200 }, (_, index) => ipOf(`198.51.100.${index + 1}`));

test('a node that has just got 200 addresses and dies is missed as soon as any other', () => {
  const world = {
    answers: (...of: Parameters<typeof byEcho>) => byEcho(...of) && of[1] < 5_000,
    watch: (now: number) => (now < 4_000 ? watch : { ...watch, ips: [...watch.ips, ...crowd] }),
  };
  assert.deepEqual(run(world, 8_000).lines, ['5500: confirming', '5600: silent']);
});

test('addresses that never answer make no trouble, and cost no more questions', () => {
  const answers = (ip: Ip, _at: number, by: Method) => by === 'echo' && ip === nodeIp;
  const { lines, asked } = run({ answers }, 60_000);
  assert.deepEqual(lines, []);
  // Some are asked both ways.
  assert.ok(asked.length < 800, String(asked.length));
});

test('one that answers again lives again', () => {
  const world = {
    answers: (...of: Parameters<typeof byEcho>) =>
      byEcho(...of) && (of[1] < 5_000 || of[1] > 7_000),
  };
  const { lines } = run(world, 10_000);
  assert.deepEqual(lines, ['5500: confirming', '5600: silent', '7200: watching']);
});

test('late answers are answers: a slow holder is not dead', () => {
  assert.deepEqual(run({ answers: byEcho, delayMs: 180 }, 20_000).lines, []);
});

test('an address that the living node does not answer for is an orphan, and the only one', () => {
  const world = {
    answers: (ip: Ip, at: number, by: Method) => by === 'echo' && (ip !== vip2 || at < 5_000),
  };
  const { lines, state } = run(world, 12_000);
  assert.match(
    lines.join(', '),
    /^\d+: confirming, \d+: counting, \d+: watching without 192\.0\.2\.101$/,
  );
  assert.deepEqual([...state.orphans], [vip2]);
  const foundAt = Number(lines.at(-1)?.split(':')[0]);
  assert.ok(foundAt < 6_500, lines.join());
});

for (const [name, othersAnswer, end] of [
  ['a watcher that is cut off while it counts orphans finds none', false, 'confirming'],
  ['a holder that dies while its orphans are counted is silent', true, 'silent'],
] as const) {
  test(name, () => {
    // From 5.3 s on an address is missed; at 6 s, between the closer look and the count, everything is.
    const isLost = (ip: Ip, at: number) => ip === vip2 && at >= 5_300;
    const confirmedAt = run(
      { answers: (...of) => byEcho(...of) && !isLost(of[0], of[1]) },
      9_000,
    ).lines[0]?.split(':')[0];
    const cutAt = Number(confirmedAt) + 50;
    const { lines, state } = run(
      {
        answers: (...of) => byEcho(...of) && !isLost(of[0], of[1]) && of[1] < cutAt,
        othersAnswer: (now) => othersAnswer || now < cutAt,
      },
      cutAt + 450,
    );
    assert.deepEqual([...state.orphans], []);
    assert.ok(lines.some((line) => line.endsWith('counting')));
    assert.equal(state.phase.kind, end);
  });
}

test('an orphan that answers again is one no more', () => {
  const isAway = (at: number) => at > 5_000 && at < 9_000;
  const answers = (ip: Ip, at: number, by: Method) => by === 'echo' && !(ip === vip1 && isAway(at));
  const moved = { ...watch, ips: [vip2, vip3] };
  const { lines } = run({ answers, watch: (now) => (now > 10_000 ? moved : watch) }, 12_000);
  assert.match(lines.at(-1) ?? '', /^10[01]\d\d: watching$/);
});

test('who hears nobody else judges nobody, and does so once it hears again', () => {
  const isCut = (at: number) => at > 5_000 && at < 20_000;
  const world = {
    answers: (...of: Parameters<typeof byEcho>) => byEcho(...of) && !isCut(of[1]),
    othersAnswer: (now: number) => !isCut(now),
  };
  assert.deepEqual(
    run(world, 30_000).lines.filter((line) => line.includes('silent')),
    [],
  );
  const dead = {
    ...world,
    answers: (...of: Parameters<typeof byEcho>) => byEcho(...of) && of[1] < 5_000,
  };
  const silentAt = run(dead, 30_000).lines.find((line) => line.includes('silent'));
  assert.match(silentAt ?? '', /^20[012]\d\d: silent$/);
});

test('while frames are lost nothing is concluded', () => {
  const world = { answers: (...of: Parameters<typeof byEcho>) => byEcho(...of) && of[1] < 5_000 };
  const deaf = { ...world, isDeaf: (now: number) => now > 5_000 && now < 9_000 };
  assert.match(run(deaf, 12_000).lines.join(), /^9[45]00: confirming,9[56]00: silent$/);
});

test('a watcher that stood still counts what was answered meanwhile', () => {
  const isStalled = (now: number) => now > 5_010 && now < 8_000;
  assert.deepEqual(run({ answers: byEcho, isStalled }, 12_000).lines, []);
});

test('a holder that answers no echo is asked by ARP, and dies as well', () => {
  const answers = (_ip: Ip, at: number, by: Method) => by === 'probe' && at < 5_000;
  const { lines, asked } = run({ answers }, 8_000);
  assert.deepEqual(lines, ['5500: confirming', '5600: silent']);
  const probed = new Set(asked.filter(({ by }) => by === 'probe').map(({ at }) => at));
  assert.ok(asked.filter(({ at }) => at > 2_000).every(({ at }) => probed.has(at)));
});

test('one that has never answered cannot be found dead: it is unwatchable', () => {
  const { lines, state } = run({ answers: () => false }, 10_000);
  assert.deepEqual([lines, isUnwatchable(state)], [[], true]);
  assert.equal(isUnwatchable(run({ answers: byEcho }, 10_000).state), false);
});

test('a node whose own address is never answered is judged by its other addresses', () => {
  const answers = (ip: Ip, at: number, by: Method) => by === 'echo' && ip !== nodeIp && at < 5_000;
  assert.deepEqual(run({ answers }, 8_000).lines.at(-1)?.split(': ')[1], 'silent');
});

test('who is told of silence looks at once, and believes only what it sees', () => {
  const dead = run({ answers: () => false }, 1_000, startSuspecting(watch));
  assert.deepEqual(dead.lines, ['0: confirming', '100: silent']);
  const alive = run({ answers: () => true }, 1_000, startSuspecting(watch));
  assert.deepEqual(alive.lines, ['0: confirming', '100: watching']);
});

test('an address that went while it was missed is not asked for any more', () => {
  const answers = (ip: Ip, at: number, by: Method) => by === 'echo' && (ip !== vip2 || at < 5_000);
  const moved = { ...watch, ips: [vip1, vip3] };
  const { lines, asked } = run({ answers, watch: (now) => (now > 5_300 ? moved : watch) }, 9_000);
  assert.deepEqual(lines, []);
  assert.ok(!asked.some(({ ip, at }) => ip === vip2 && at > 5_300));
});

test('an address that was asked by ARP at first is watched by echo in the end', () => {
  const { asked } = run({ answers: () => true }, 10_000, startSuspecting(watch));
  assert.equal(
    asked.some(({ by }) => by === 'probe'),
    true,
  );
  assert.deepEqual(
    asked.filter(({ at, by }) => at > 5000 && by === 'probe'),
    [],
  );
});

test('an address that came late costs one ARP probe, however many there are', () => {
  const ips = Array.from({ length: 200 }, (_, index) => ipOf(`198.51.100.${index}`));
  const many = { ...watch, ips };
  const { asked } = run({ answers: (_, at) => at > 20_000, watch: () => many }, 120_000);
  const probes = Map.groupBy(
    asked.filter(({ by, at }) => by === 'probe' && at > 20_000),
    ({ ip }) => ip,
  );
  assert.deepEqual([...new Set([...probes.values()].map(({ length }) => length))], [1]);
});

test('however times are rounded, who wakes when told to has something to do', () => {
  // 32700.2 + 100 - 32700.2 is a little less than 100.
  const since = 32_700.2;
  const input = { watch, answers: [], othersAskedAt: since, isDeaf: false, timings };
  const asked = watchHolder(startSuspecting(watch), { ...input, now: since });
  const { wakeAt } = asked;
  const woken = watchHolder(asked.state, { ...input, now: wakeAt });
  assert.ok(woken.wakeAt > wakeAt);
  assert.equal(describe(woken.state), 'silent');
});
