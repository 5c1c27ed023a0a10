/** Runs on a client host: sends numbered packets at a rate and, told to end, prints its report. */

import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../monotonic.ts';
import { decodeAnswer, encodeRequest } from './echo-packet.ts';
import { print, untilTold } from './measurement-program.ts';
import { Pacer } from './pacer.ts';
import { RunningLosses } from './running-losses.ts';
import { StallWatch } from './stalls.ts';
import type { UdpClientConfig, UdpClientReport, UdpProgress } from './udp-client.ts';
import { reportOn } from './udp-report.ts';

const config = JSON.parse(process.argv[2] ?? '{}') as UdpClientConfig;
const { to, port, perSecond, packets, durationMs, lateAfterMs, size, flows } = config;

const isIpv6 = to.includes(':');
const sentAt = new Float64Array(packets);
const answeredAt = new Float64Array(packets).fill(Number.NaN);
const answeredBy = new Uint8Array(packets);
const responders: string[] = [];
const sendErrors: Record<string, number> = {};
const run = Math.floor(monotonicMs() * 1000) % 2 ** 32;
const stallWatch = new StallWatch(20);
const losses = new RunningLosses(sentAt, answeredAt, lateAfterMs);
let sent = 0;
let received = 0;
let duplicates = 0;

// Sends at once: the default would look even an address up, and that takes another turn of the loop.
const sockets = Array.from({ length: flows }, () =>
  createSocket({
    type: isIpv6 ? 'udp6' : 'udp4',
    lookup: (address, _, callback) => callback(null, address, isIpv6 ? 6 : 4),
  }),
);

function send(): void {
  const number = sent;
  sent += 1;
  sentAt[number] = monotonicMs();
  sockets[number % flows]?.send(encodeRequest({ run, number }, size), port, to, (error) => {
    if (error === null) return;
    const { code = error.message } = error as NodeJS.ErrnoException;
    sendErrors[code] = (sendErrors[code] ?? 0) + 1;
  });
}

function receive(bytes: Uint8Array): void {
  const now = monotonicMs();
  const answer = decodeAnswer(bytes);
  if (answer === undefined || answer.run !== run || answer.number >= sent) return;
  if (!Number.isNaN(answeredAt[answer.number])) {
    duplicates += 1;
    return;
  }
  received += 1;
  losses.hear(answer.number);
  answeredAt[answer.number] = now;
  answeredBy[answer.number] = indexOf(answer.responder);
}

function indexOf(responder: string): number {
  const index = responders.indexOf(responder);
  return index >= 0 ? index : responders.push(responder) - 1;
}

/** Answers that the kernel threw away because we did not fetch them in time. */
function socketDrops(): number {
  const ports = sockets.map(
    (socket) => `:${socket.address().port.toString(16).toUpperCase().padStart(4, '0')}`,
  );
  const table = readFileSync(`/proc/self/net/udp${isIpv6 ? '6' : ''}`, 'utf8').split('\n');
  const own = table.filter((line) => ports.includes(line.split(/\s+/)[2]?.slice(-5) ?? ''));
  return own.reduce((sum, line) => sum + Number(line.trim().split(/\s+/).at(-1)), 0);
}

function progress(): UdpProgress {
  losses.settle(sent, monotonicMs());
  const { lost, longestOutageMs } = losses;
  const last = answeredAt.subarray(0, sent).findLastIndex((at) => !Number.isNaN(at));
  const responder = last < 0 ? undefined : responders[answeredBy[last] ?? 0];
  return {
    sent,
    received,
    lost,
    longestOutageMs,
    ...(responder === undefined ? {} : { responder }),
  };
}

for (const socket of sockets) {
  await new Promise<void>((resolve) => socket.bind(0, resolve));
  socket.setRecvBufferSize(1 << 20);
  socket.on('message', receive).on('error', () => {});
}

const told = untilTold();
const startedAt = monotonicMs();
const pacer = new Pacer({ perSecond, mostDebtMs: 50 }, startedAt);
const { promise: allSent, resolve: finish } = Promise.withResolvers<void>();

const timer = setInterval(() => {
  const now = monotonicMs();
  stallWatch.turn(now);
  if (told.isOver || now - startedAt >= durationMs || sent >= packets) finish();
  else for (let due = Math.min(pacer.due(now), packets - sent); due > 0; due--) send();
}, 1);
const heartbeat = setInterval(() => print({ progress: progress() }), 100);
print({ ready: true });

await allSent;
clearInterval(timer);
const endedAt = monotonicMs();
const drained = () => received === sent || monotonicMs() - endedAt > lateAfterMs;
while (!drained()) {
  await sleep(2);
  stallWatch.turn(monotonicMs());
}
clearInterval(heartbeat);
const report: UdpClientReport = {
  ...reportOn({
    sentAt: sentAt.subarray(0, sent),
    answeredAt: answeredAt.subarray(0, sent),
    answeredBy,
    responders,
    duplicates,
    stalls: stallWatch.stalls,
    endedAt,
    lateAfterMs,
  }),
  skipped: pacer.skipped,
  socketDrops: socketDrops(),
  sendErrors,
};
for (const socket of sockets) socket.close();
print({ report });
