import { demolish } from '../network/demolish.ts';
import type { Host } from '../network/host.ts';
import { raise } from '../network/raise.ts';
import { isolate } from './cut.ts';
import { type Fault, inflict } from './fault.ts';

/**
 * Cuts a host's power: all its links fall silent at once, then its programs die and its kernel forgets everything.
 * Healing switches it on again as the plan describes it: without programs, and without what they had configured.
 * For a host that is cut off and lives on, see `isolate`.
 */
export async function powerOff(host: Host): Promise<Fault> {
  const silence = await isolate(host);
  const { since } = silence;
  const off = await inflict(`cut the power of ${host.name}`, {
    impose: async () => {
      await host.halt();
      await Promise.all(host.nics.map(({ segment, port }) => segment.remove([port])));
      await demolish([host.namespace]);
      await silence.heal();
    },
    lift: async () => {
      await raise([], [host]);
      host.boot();
    },
  });
  return { ...off, since };
}
