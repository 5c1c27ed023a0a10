/**
 * What histories may still find, by its cause: told, counted, and allowed to a few. Of anything else, and of what never
 * ends, there may be ten times less (`simulate-tests.ts`).
 */

import type { Failure } from './campaign.ts';
import { lastingMark } from './history.ts';

interface KnownCause {
  readonly name: string;
  readonly explains: (failure: Failure) => boolean;
}

const isDouble = ({ violations }: Failure) => /has been on .* for/.test(violations[0] ?? '');

export const knownCauses: readonly KnownCause[] = [
  {
    name: 'several failures in a row: two holders for longer than bounds.ts allows',
    explains: isDouble,
  },
];

/** Undefined: nobody knows why. */
export function causeOf(failure: Failure): string | undefined {
  if (failure.violations.some((what) => what.includes(lastingMark))) return undefined;
  return knownCauses.find(({ explains }) => explains(failure))?.name;
}
