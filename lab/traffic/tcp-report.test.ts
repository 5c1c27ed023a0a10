import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanOf } from './stalls.ts';
import { type ConnectionLife, reportOnTcp, type TcpRecords } from './tcp-report.ts';

function life(more: Partial<ConnectionLife>): ConnectionLife {
  return { connection: 0, triedAt: 0, openedAt: 1, endedAt: 1000, exchanges: [], ...more };
}

function report(lives: readonly ConnectionLife[], more: Partial<TcpRecords> = {}) {
  return reportOnTcp({ lives, answers: {}, stallAfterMs: 100, ownStalls: [], ...more });
}

test('messages that queue up behind one hole are one stall', () => {
  const exchanges = [
    { sentAt: 10, echoedAt: 11 },
    { sentAt: 30, echoedAt: 330 },
    { sentAt: 50, echoedAt: 331 },
    { sentAt: 300, echoedAt: 332 },
    { sentAt: 350, echoedAt: 351 },
    { sentAt: 400, echoedAt: 600 },
  ];
  assert.deepEqual(report([life({ exchanges })]).stalls, [
    { connection: 0, from: 30, to: 331, ms: 301 },
    { connection: 0, from: 400, to: 600, ms: 200 },
  ]);
});

test('a message without echo stalls until the connection ends', () => {
  const { stalls, sent, echoed } = report([life({ exchanges: [{ sentAt: 10 }, { sentAt: 950 }] })]);
  assert.deepEqual(
    { stalls, sent, echoed },
    { stalls: [{ connection: 0, from: 10, to: 1000, ms: 990 }], sent: 2, echoed: 0 },
  );
});

test('an echo that waited for a stalled client is no stall of the connection', () => {
  const exchanges = [{ sentAt: 10, echoedAt: 510 }];
  const ownStalls = [spanOf(11, 509)];
  assert.deepEqual(report([life({ exchanges })], { ownStalls }).stalls, []);
});

test('resets, failed attempts and reconnects are told apart', () => {
  const { opened, reconnects, resets, ends } = report([
    life({ endedAt: 500, endedBy: 'ECONNRESET' }),
    { connection: 0, triedAt: 550, endedAt: 560, endedBy: 'ECONNREFUSED', exchanges: [] },
    life({ triedAt: 610, openedAt: 611 }),
    life({ connection: 1 }),
  ]);
  assert.deepEqual(
    { opened, reconnects, resets, ends },
    {
      opened: 3,
      reconnects: 1,
      resets: 1,
      ends: [
        { connection: 0, at: 500, reason: 'ECONNRESET', livedMs: 499 },
        { connection: 0, at: 560, reason: 'ECONNREFUSED' },
      ],
    },
  );
});
