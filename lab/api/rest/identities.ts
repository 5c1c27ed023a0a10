/** Everything that is made up at random: identifiers of objects and endings of generated names. Seeded, it repeats. */

import { randomUUID } from 'node:crypto';

export interface Identities {
  uid(): string;
  /** A number from 0 up to, not including, `below`. */
  pick(below: number): number;
}

export const randomIdentities: Identities = {
  uid: randomUUID,
  pick: (below) => Math.floor(Math.random() * below),
};

/** mulberry32: small, and good enough to spread names. */
export function seededIdentities(seed: number): Identities {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const hex = (digits: number) => next().toString(16).padStart(8, '0').slice(0, digits);
  return {
    uid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(8)}${hex(4)}`,
    pick: (below) => Math.floor((next() / 2 ** 32) * below),
  };
}

// No vowels, so that no words appear, and nothing that looks like another sign.
const letters = 'bcdfghjklmnpqrstvwxz2456789';

export function generateName(base: string, { pick }: Identities): string {
  const ending = Array.from({ length: 5 }, () => letters[pick(letters.length)]).join('');
  return base.slice(0, 63 - ending.length) + ending;
}
