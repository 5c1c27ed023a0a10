import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  candidateVerdicts,
  changeReasons,
  electionReasons,
  placementReasons,
} from './placement-reasons.ts';
import { withdrawalReasons } from './reasons.ts';

test('every reason is one word and explained by a sentence without a full stop', () => {
  for (const reasons of [candidateVerdicts, changeReasons, electionReasons, placementReasons]) {
    for (const [reason, words] of Object.entries(reasons)) {
      assert.match(reason, /^([a-z][A-Za-z]+|cluster event)$/);
      assert.match(words, /^[a-zP].*[a-z]$/);
    }
  }
});

test("upstream's words for withdrawals are kept where the case still exists", () => {
  const kept = withdrawalReasons.filter((reason) => Object.hasOwn(placementReasons, reason));
  assert.deepEqual(kept, [
    'noConfig',
    'noLocalInterface',
    'noEligibleNodes',
    'lostElection',
    'noEndpoints',
    'cluster event',
  ]);
});
