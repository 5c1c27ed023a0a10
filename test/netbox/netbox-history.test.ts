import { test } from 'node:test';
import { live, prefixes, usual } from './live-history.ts';

test('whatever is lost and whoever dies, no address is doubled, lost or told otherwise', (t) =>
  live(t, 1, { ...usual, prefixes, operations: 5_000 }));
