/** What this process can tell of its own life beside the clock: how long the machine runs, and how busy the process was. */

import * as libc from './libc.ts';

export interface OwnPulse {
  /** Milliseconds since the machine booted, those in which it was suspended included. */
  boot(): number;
  /** Milliseconds of the processor that the calling thread has had. */
  busy(): number;
}

export const ownPulse: OwnPulse = {
  boot: () => libc.boottimeMs(),
  busy: () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
};
