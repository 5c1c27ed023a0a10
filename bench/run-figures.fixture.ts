/** A run in which nobody noticed anything. */

import type { RunFigures } from '../lab/failover/measure-run.ts';

export const calm: RunFigures = {
  family: 'ipv4',
  outageMs: 0,
  lost: 0,
  sent: 5000,
  broken: 0,
  twoHoldersMs: 0,
  moves: 0,
  spreadMs: 0,
};
