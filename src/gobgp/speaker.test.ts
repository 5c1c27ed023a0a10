import { FakeSpeaker } from './fake-speaker.ts';
import { speakerContract } from './speaker.contract.ts';

speakerContract('the fake', async () => {
  const speaker = new FakeSpeaker();
  return {
    speaker,
    kill: async () => speaker.kill(),
    revive: async () => speaker.revive(),
    [Symbol.asyncDispose]: async () => speaker.close(),
  };
});
