import { GobgpSpeaker } from '../gobgp/gobgp-speaker.ts';
import type { Speaker } from '../gobgp/speaker.ts';
import type { Clock } from '../runtime/clock.ts';

/** The daemon at this endpoint, whether or not it is there yet. */
export function openSpeaker(endpoint: string, clock: Clock): Speaker {
  return new GobgpSpeaker({ endpoint, clock });
}
