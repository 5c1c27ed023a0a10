/** Announcements and questions on the wire: how long they take, and whether all of them arrive. */

import { execFileSync } from 'node:child_process';
import { capture } from '../lab/capture/capture.ts';
import { enterFreshNamespace } from '../lab/fresh-namespace.ts';
import { type LiveWorld, openLiveWorld } from '../src/linux/live-segment.fixture.ts';
import { type Family, type Ip, ipOf } from '../src/model/ip.ts';
import { claimIn } from '../src/model/neighbour-frame.ts';
import type { SendOutcome } from '../src/model/send-outcome.ts';
import type { Bench, BenchReport } from './bench-report.ts';

const announcements = 1000;
const questions = 1000;

export const garp: Bench = {
  name: 'garp',
  description: `${announcements} announcements of each family, round trips of probes and echoes`,
  async run(report) {
    enterFreshNamespace();
    const world = await openLiveWorld();
    try {
      await measureAnnouncements(world, report);
      const pinged = await measurePing(world, report);
      for (const family of ['ipv4', 'ipv6'] as const) {
        await measureProbes(world, report, family);
        await measureEchoes(world, report, family, pinged);
      }
    } finally {
      await world.close();
    }
  },
};

/** The first frames pay for opening the socket and for code that is not compiled yet: measured apart. */
async function measureAnnouncements(world: LiveWorld, report: BenchReport): Promise<void> {
  const { neighbours, link } = world;
  const warmUp = ipOf('203.0.113.1');
  const filter = `ether src ${link.mac} and not host ${warmUp}`;
  await using captured = await capture(world.peers[0], { filter });
  const first = took(() => neighbours.announce({ link, ip: warmUp }));
  report.row({ name: 'first announcement', value: first, unit: 'ms', better: 'lower' });
  for (let count = 0; count < 500; count++) neighbours.announce({ link, ip: warmUp });
  const gratuitous = took(() => {
    for (let n = 0; n < announcements; n++) {
      const ip = ipOf(`192.0.2.${100 + (n % 100)}`);
      neighbours.announce({ link, ip, forms: ['request'] });
    }
  });
  const unsolicited = took(() => {
    for (let n = 0; n < announcements; n++) {
      neighbours.announce({ link, ip: ipOf(`2001:db8::1:${n.toString(16)}`) });
    }
  });
  await captured.stop();
  const lines = await captured.checkedText();
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  const row = (name: string, value: number) =>
    report.row({ name, value, unit: 'ms', better: 'lower' });
  const arrived = (name: string, value: number) =>
    report.row({ name, value, unit: 'frames', target: announcements, better: 'higher' });
  row(`${announcements} gratuitous ARPs sent`, gratuitous);
  arrived('… captured by the peer', count(/Request who-has 192\.0\.2\.(\d+) tell 192\.0\.2\.\1,/));
  row(`${announcements} unsolicited advertisements sent`, unsolicited);
  arrived('… captured, checksum right', count(/\[icmp6 sum ok\].*Flags \[override\]/));
}

/** What the ping command takes between the same two namespaces, in µs: the measure for our echoes. */
async function measurePing(world: LiveWorld, report: BenchReport): Promise<number> {
  const { ipv4 } = world.peers[0].ips;
  const argv = ['-n', '-q', '-c', '200', '-i', '0.002', ipv4];
  const text = execFileSync('ping', argv, { encoding: 'utf8' });
  const average = Number(/= [\d.]+\/([\d.]+)\//.exec(text)?.[1]) * 1000;
  report.row({ name: 'ping command, mean', value: average, unit: 'µs', better: 'lower' });
  return average;
}

async function measureProbes(world: LiveWorld, report: BenchReport, family: Family): Promise<void> {
  const { neighbours, link, peers } = world;
  const ip = peers[0].ips[family];
  const ask = () => neighbours.probe({ link, ip, to: peers[0].mac, source: world.ips[family] });
  const times = await roundTrips(world, ip, ask);
  reportRoundTrips(report, `probe → answer, ${family}`, times);
}

async function measureEchoes(
  world: LiveWorld,
  report: BenchReport,
  family: Family,
  pinged: number,
): Promise<void> {
  const { neighbours, link, peers } = world;
  const echo = { link, ip: peers[0].ips[family], to: peers[0].mac, source: world.ips[family] };
  const times = await roundTrips(world, echo.ip, (sequence) =>
    neighbours.echo({ ...echo, sequence }),
  );
  reportRoundTrips(report, `echo → answer, ${family}`, times);
  const value = quantile(times.onTheWire, 0.5) / pinged;
  report.row({ name: `… ÷ ping command, ${family}`, value, unit: '×', better: 'lower' });
}

interface RoundTrips {
  /** µs until the kernel received the answer. */
  readonly onTheWire: readonly number[];
  /** µs until our listener had it. */
  readonly toListener: readonly number[];
}

/** One question at a time; each waits for its answer. */
async function roundTrips(
  world: LiveWorld,
  ip: Ip,
  ask: (sequence: number) => SendOutcome,
): Promise<RoundTrips> {
  const onTheWire: number[] = [];
  const toListener: number[] = [];
  let answered: (at: number) => void = () => {};
  const listening = world.neighbours.listen(world.link, (event) => {
    if ('from' in event && claimIn(event)?.ip === ip) answered(event.at);
  });
  for (let sequence = 0; sequence < questions; sequence++) {
    const { promise, resolve } = Promise.withResolvers<number>();
    answered = resolve;
    const sentAt = world.now();
    ask(sequence);
    onTheWire.push(((await drainUntil(world, promise)) - sentAt) * 1000);
    toListener.push((world.now() - sentAt) * 1000);
  }
  if (listening.kind === 'listening') listening.stop();
  return { onTheWire, toListener };
}

/** Replies to echoes are handed over when the link is drained. */
async function drainUntil(world: LiveWorld, answer: Promise<number>): Promise<number> {
  let isOver = false;
  const answered = answer.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    world.neighbours.drain(world.link);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return answered;
}

function reportRoundTrips(report: BenchReport, name: string, times: RoundTrips): void {
  const row = (what: string, values: readonly number[], share: number) =>
    report.row({
      name: `${name}, ${what} p${share * 100}`,
      value: Math.round(quantile(values, share)),
      unit: 'µs',
      better: 'lower',
    });
  row('kernel stamp', times.onTheWire, 0.5);
  row('kernel stamp', times.onTheWire, 0.99);
  row('at the listener', times.toListener, 0.5);
  row('at the listener', times.toListener, 0.99);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function took(action: () => void): number {
  const startedAt = performance.now();
  action();
  return performance.now() - startedAt;
}
