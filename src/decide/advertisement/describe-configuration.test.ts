import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offerOf } from './advertisement.fixture.ts';
import type { BgpRecord } from './bgp-record.ts';
import { chooseBgpConfig } from './choose-bgp-config.ts';
import { describeConfigurations } from './describe-configuration.ts';
import { recordOf } from './record.fixture.ts';

const texts = (record: BgpRecord) =>
  describeConfigurations(record).map(({ offer, conditions }) =>
    [
      offer.identity.name,
      ...conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`),
    ].join(' '),
  );

test('one that is carried out is ready, and its router ID resolved', () => {
  assert.deepEqual(texts(recordOf()), [
    'default Ready=True ReconcileSuccess RouterIDResolved=True Resolved',
  ]);
  const [found] = describeConfigurations(recordOf());
  assert.deepEqual(
    [found?.message, found?.routerIdSource],
    ['BGP configuration applied successfully', 'node-ipv4'],
  );
});

test('every problem stands in the condition of one that cannot be read', () => {
  const wrong = offerOf({ global: { asn: 64_500, confederation: { enabled: true } }, vrfs: [{}] });
  const record = recordOf({ choice: chooseBgpConfig([wrong]) });
  assert.deepEqual(texts(record), ['default Ready=False ConfigurationInvalid']);
  const [found] = describeConfigurations(record);
  assert.match(found?.message ?? '', /confederations are not carried out.*spec\.vrfs\[0\]\.name/);
});

test('a daemon that is away, refuses or must start anew is told', () => {
  const reasons = [
    recordOf({ state: undefined, failures: ['no answer'] }),
    recordOf({ failures: ['add-peer 198.51.100.1: no'] }),
    recordOf({ needsRestart: ['asn'] }),
  ].map((record) => texts(record)[0]?.split(' ').slice(1, 3).join(' '));
  assert.deepEqual(reasons, [
    'Ready=False ConnectionFailed',
    'Ready=False ReconcileFailed',
    'Ready=False ReconcileFailed',
  ]);
});

test('a router ID that cannot be found is a condition of its own', () => {
  const notes = [{ reason: 'RouterIDResolutionFailed', message: 'no annotation' } as const];
  const record = recordOf({ routerId: undefined, notes });
  assert.match(texts(record)[0] ?? '', /RouterIDResolved=False ResolutionFailed/);
});

test('one that waits names the one in force; without any there is nothing to say', () => {
  const young = offerOf(
    {},
    { name: 'young', uid: 'u2', creationTimestamp: '2026-06-02T12:00:00Z' },
  );
  const record = recordOf({ choice: chooseBgpConfig([young, offerOf({})]) });
  const [, other] = describeConfigurations(record);
  assert.deepEqual(
    [other?.offer.identity.name, other?.message],
    ['young', 'purelb-system/default is older and in force: delete one of them'],
  );
  assert.deepEqual(describeConfigurations(recordOf({ choice: chooseBgpConfig([]) })), []);
});
