import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { eventually } from '../../lab/eventually.ts';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { Gobgpd } from '../../lab/router/gobgpd.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import { GobgpSpeaker } from './gobgp-speaker.ts';
import { speakerContract } from './speaker.contract.ts';
import { identity, setPolicies, start } from './speaker.fixture.ts';

const skip = missing('ip') || missingBinaries('gobgpd');

speakerContract(
  'a real gobgpd',
  async () => {
    enterFreshNamespace();
    execFileSync('ip', ['link', 'set', 'lo', 'up']);
    const daemon = await Gobgpd.start();
    const speaker = new GobgpSpeaker({ endpoint: daemon.endpoint, clock: new SystemClock() });
    return {
      speaker,
      kill: () => daemon.kill(),
      revive: () => daemon.start(),
      [Symbol.asyncDispose]: async () => {
        speaker.close();
        await daemon[Symbol.asyncDispose]();
      },
    };
  },
  skip,
);

test('a daemon that hangs is unknown, and is asked again when it moves', { skip }, async () => {
  enterFreshNamespace();
  await using daemon = await Gobgpd.start();
  const { endpoint } = daemon;
  const speaker = new GobgpSpeaker({ endpoint, clock: new SystemClock(), withinMs: 1_000 });
  try {
    assert.deepEqual(await speaker.apply([start]), []);
    daemon.process.freeze();
    const isUnreachable = { name: 'SpeakerError', code: 'Unreachable' };
    await assert.rejects(speaker.read(), isUnreachable);
    const [failure] = await speaker.apply([setPolicies('a')]);
    assert.equal(failure?.code, 'Unreachable');
    daemon.process.thaw();
    const moves = async () => assert.equal((await speaker.read()).identity?.asn, identity.asn);
    await eventually(moves, { withinMs: 20_000 });
  } finally {
    speaker.close();
  }
});
