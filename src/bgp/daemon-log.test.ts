import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpeakerError } from '../gobgp/speaker.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { DaemonLog } from './daemon-log.ts';

function start() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const sink = (line: string) => {
    const { level, msg } = JSON.parse(line);
    lines.push(`${level} ${msg}`);
  };
  const log = Log.create({ level: 'info', sink });
  const daemon = new DaemonLog({ clock, log, endpoint: 'unix:///gobgp.sock' });
  return { clock, lines, daemon };
}

const failure = new SpeakerError('Unreachable', 'connection refused');

test('a daemon that comes up a moment after the agent is no reason for a warning', async () => {
  const { clock, lines, daemon } = start();
  daemon.note(failure);
  await clock.advance(4_000);
  daemon.note(undefined);
  await clock.advance(60_000);
  assert.deepEqual(lines, ['info Connected to the BGP daemon']);
});

test('one that stays away is', async () => {
  const { clock, lines, daemon } = start();
  daemon.note(failure);
  await clock.advance(5_000);
  assert.deepEqual(lines, ['warn BGP daemon is not there']);
});

test('nothing is said after the end', async () => {
  const { clock, lines, daemon } = start();
  daemon.note(failure);
  daemon.stop();
  await clock.advance(5_000);
  assert.deepEqual([lines, clock.pendingTimers], [[], 0]);
});
