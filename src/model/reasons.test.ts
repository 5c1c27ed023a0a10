import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allocationReasons,
  announcementReasons,
  conditionTypes,
  eventReasons,
  groupReasons,
  offerReasons,
  quarantineReasons,
  refusalReasons,
  rejectionReasons,
  withdrawalReasons,
} from './reasons.ts';

test('reasons of Events, conditions and quarantine are words that Kubernetes takes', () => {
  const conditions = [
    ...Object.values(conditionTypes).flat(),
    ...allocationReasons,
    ...announcementReasons,
    ...Object.values(refusalReasons),
    ...groupReasons,
    ...offerReasons,
  ];
  for (const reason of [...Object.keys(eventReasons), ...conditions, ...quarantineReasons]) {
    assert.match(reason, /^[A-Z][A-Za-z]{2,63}$/);
  }
});

test('reasons of metrics and logs are each spelt once', () => {
  for (const reasons of [rejectionReasons, withdrawalReasons]) {
    assert.equal(new Set<string>(reasons).size, reasons.length);
  }
  for (const reason of rejectionReasons) assert.match(reason, /^[a-z_]+$/);
});
