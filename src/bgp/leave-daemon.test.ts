import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeSpeaker } from '../gobgp/fake-speaker.ts';
import { identity, pathTo, peerWish, policiesNamed } from '../gobgp/speaker.fixture.ts';
import { SpeakerError } from '../gobgp/speaker.ts';
import { pathKey } from '../model/bgp-path.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { leaveDaemon } from './leave-daemon.ts';

async function advertising() {
  const speaker = new FakeSpeaker();
  await speaker.apply([
    { kind: 'start', identity },
    { kind: 'set-policies', policies: policiesNamed('a') },
    { kind: 'set-paths', add: [pathTo('203.0.113.7/32', ['64500:1'])], withdraw: [] },
    { kind: 'add-peer', peer: peerWish('198.51.100.1'), isRestarting: false },
  ]);
  const clock = new ManualClock();
  const setup = { speaker, clock, log: Log.create({ level: 'error' }) };
  const paths = async () => (await speaker.read()).paths.map(pathKey);
  return { setup, speaker, clock, paths };
}

test('an agent that ends alone leaves everything as it is', async () => {
  const { setup, paths } = await advertising();
  await leaveDaemon(setup, 'stay');
  assert.deepEqual(await paths(), ['203.0.113.7/32 0.0.0.0 64500:1']);
});

test('one that goes for good first asks routers to prefer others, then withdraws', async () => {
  const { setup, clock, paths } = await advertising();
  const left = leaveDaemon(setup, 'remove');
  await clock.advance(999);
  assert.deepEqual(await paths(), ['203.0.113.7/32 0.0.0.0 64500:1 65535:0']);
  await clock.advance(1);
  await left;
  assert.deepEqual(await paths(), []);
});

test('one whose daemon goes too ends sessions so that routers keep our routes', async () => {
  const { setup, speaker } = await advertising();
  await leaveDaemon(setup, 'restart');
  await assert.rejects(
    speaker.read(),
    (error) => error instanceof SpeakerError && error.code === 'Stopped',
  );
});

test('a daemon that is not there keeps no agent from ending', async () => {
  const { setup, speaker } = await advertising();
  speaker.kill();
  for (const how of ['stay', 'restart', 'remove'] as const) await leaveDaemon(setup, how);
});
