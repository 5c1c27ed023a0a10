import { execFileSync } from 'node:child_process';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { Gobgpd } from '../../lab/router/gobgpd.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import { GobgpSpeaker } from './gobgp-speaker.ts';
import { speakerContract } from './speaker.contract.ts';

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
