/** Reads the peers' keys from the files of the Secret that is mounted, again and again: the kubelet replaces them. */

import { readFile } from 'node:fs/promises';
import type { Cancel, Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { type KeyRing, keyLength } from './key-ring.ts';

export interface KeyFilesSetup {
  /** Of the files `key` and `previous`. */
  readonly directory: string;
  readonly ring: KeyRing;
  readonly clock: Clock;
  readonly log: Log;
  /** There are other keys than before. */
  readonly onChange: () => void;
}

const everyMs = 10_000;
/** A new allocator makes the key, and a kubelet takes up to 90 s to bring it: until then nothing is wrong. */
const patienceMs = 120_000;

export class KeyFiles {
  readonly #setup: KeyFilesSetup;
  #cancel: Cancel | undefined;
  #isStopped = false;
  /** Said once, until it is something else. */
  #complaint: string | undefined;
  #startedAt = 0;
  #isMissedAloud = false;

  constructor(setup: KeyFilesSetup) {
    this.#setup = setup;
  }

  /** Resolves when they were read once. */
  async start(): Promise<void> {
    const { ring, clock, log, directory } = this.#setup;
    this.#startedAt = clock.monotonic();
    await this.#read();
    const keys = ring.names;
    if (keys.length > 0) log.info('Peers are authenticated', { op: 'peerKey', keys });
    else
      log.info('Peers are not authenticated yet', { op: 'peerKey', why: `no key in ${directory}` });
    this.#later();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #later(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#setup.clock.after(everyMs, () => {
      void this.#again();
    });
  }

  async #again(): Promise<void> {
    const { ring, log, onChange } = this.#setup;
    const before = ring.names.join();
    await this.#read();
    const keys = ring.names;
    if (keys.join() !== before) {
      const message = `Peers are authenticated${before === '' ? '' : ' with other keys'}`;
      log.info(message, { op: 'peerKey', keys });
      onChange();
    }
    this.#missKey();
    this.#later();
  }

  /** Once, when no key came for longer than it takes. */
  #missKey(): void {
    const { ring, clock, log, directory } = this.#setup;
    const isEarly = clock.monotonic() - this.#startedAt < patienceMs;
    if (ring.names.length > 0 || isEarly || this.#isMissedAloud) return;
    this.#isMissedAloud = true;
    log.warn('Peers are not authenticated', {
      op: 'peerKey',
      why: `no key in ${directory}`,
      advice: 'the allocator makes the Secret purelb-peer-key; mount it into the agents',
    });
  }

  async #read(): Promise<void> {
    const { ring, clock } = this.#setup;
    const [key, previous] = await Promise.all([this.#readKey('key'), this.#readKey('previous')]);
    ring.note({ key, previous }, clock.monotonic());
  }

  /** Undefined: there is none, or it is no key. What is in the file appears nowhere. */
  async #readKey(name: string): Promise<Uint8Array | undefined> {
    const { directory } = this.#setup;
    try {
      const bytes = await readFile(`${directory}/${name}`);
      if (bytes.length === keyLength) return bytes;
      this.#complain(`${name} has ${bytes.length} bytes, and a key has ${keyLength}`);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'ENOENT') this.#complain(`${name} cannot be read: ${String(code)}`);
    }
    return undefined;
  }

  #complain(words: string): void {
    if (this.#complaint === words) return;
    this.#complaint = words;
    const { log, directory } = this.#setup;
    log.warn('Peer key cannot be used', { op: 'peerKey', directory, why: words });
  }
}
