/**
 * The keys that agents prove themselves to each other with. Files of a Secret reach each node at a time of its own, up to
 * 90 s apart: so several keys are accepted, and each receiver is written to with the newest key that it is known to have.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { macLength } from '../wire/signed-hint.ts';

export interface PeerKey {
  /** Eight hexadecimal digits that say nothing of the key. */
  readonly name: string;
  /** The same as a number below 2^32. */
  readonly id: number;
  readonly sign: (bytes: Uint8Array) => Uint8Array;
}

/** As they stand in the Secret. */
export interface KeyBytes {
  readonly key: Uint8Array | undefined;
  readonly previous: Uint8Array | undefined;
}

export const keyLength = 32;
/** Longer than the slowest node takes to get what the Secret says: a key that vanished is still in use elsewhere. */
export const retiredMs = 180_000;

interface Held extends PeerKey {
  /** When it was last in the files; in ms on the monotonic clock. */
  readonly seenAt: number;
}

export class KeyRing {
  #keys: readonly Held[] = [];

  /** The newest first; empty: nothing can be proven. */
  get names(): readonly string[] {
    return this.#keys.map(({ name }) => name);
  }

  find(id: number): PeerKey | undefined {
    return this.#keys.find((key) => key.id === id);
  }

  /** The newest that is among these; where none is, the newest of all. */
  choose(names: readonly string[]): PeerKey | undefined {
    return this.#keys.find(({ name }) => names.includes(name)) ?? this.#keys[0];
  }

  /** What the files hold now. Without a key nothing changes: whoever can remove a file cannot make agents credulous. */
  note({ key, previous }: KeyBytes, now: number): void {
    const found = [key, previous].flatMap((secret) =>
      secret?.length === keyLength ? [{ ...makeKey(secret), seenAt: now }] : [],
    );
    if (found.length === 0) return;
    const isThere = (name: string) => found.some((each) => each.name === name);
    const retired = this.#keys.filter(
      ({ name, seenAt }) => !isThere(name) && now - seenAt < retiredMs,
    );
    this.#keys = [...found, ...retired].filter(
      ({ name }, index, all) => all.findIndex((each) => each.name === name) === index,
    );
  }
}

export function makeKey(secret: Uint8Array): PeerKey {
  const digest = (bytes: Uint8Array | string) =>
    createHmac('sha256', secret).update(bytes).digest();
  const name = digest('purelb peer key').toString('hex', 0, 4);
  const sign = (bytes: Uint8Array) => digest(bytes).subarray(0, macLength);
  return { name, id: Number.parseInt(name, 16), sign };
}

/** Takes the same time whatever the difference is. */
export function isSignedBy(key: PeerKey, bytes: Uint8Array, mac: Uint8Array): boolean {
  return mac.length === macLength && timingSafeEqual(key.sign(bytes), mac);
}
