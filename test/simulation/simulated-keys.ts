/** The Secret with the peers' key as one node sees it: its files change there at a time of its own. */

import { type KeyBytes, KeyRing } from '../../src/agent/key-ring.ts';
import type { Clock } from '../../src/runtime/clock.ts';

/** Any number makes a key; 0 is none. */
export function simulatedKey(number: number): Uint8Array | undefined {
  return number === 0 ? undefined : new Uint8Array(32).fill(number);
}

export class SimulatedKeys {
  #files: KeyBytes = { key: simulatedKey(1), previous: undefined };
  #ring = new KeyRing();
  #clock: Clock | undefined;

  get names(): readonly string[] {
    return this.#ring.names;
  }

  /** For a process that starts. */
  open(clock: Clock): KeyRing {
    this.#ring = new KeyRing();
    this.#clock = clock;
    this.#read();
    return this.#ring;
  }

  /** The kubelet replaces the files; the process that runs reads them. */
  set(key: number, previous = 0): void {
    this.#files = { key: simulatedKey(key), previous: simulatedKey(previous) };
    this.#read();
  }

  #read(): void {
    if (this.#clock !== undefined) this.#ring.note(this.#files, this.#clock.monotonic());
  }
}
