import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceDecision } from '../decide/allocation/allocation-plan.ts';
import { ipOf } from '../model/ip.ts';
import { describeWrite } from './describe-write.ts';

const ip = ipOf('192.0.2.1');

function describe(kind: ServiceDecision['kind'], parts: Partial<ServiceDecision> = {}) {
  const grant = { ingress: [], pools: [] } as unknown as ServiceDecision['grant'];
  const decision = { kind, grant, givesUp: [], ...parts } as unknown as ServiceDecision;
  const object = { metadata: { name: 'web' } };
  const write = {
    key: 'shop/web',
    object,
    part: 'status',
    body: {},
    decision,
    plannedAt: 0,
  } as const;
  const line = describeWrite(write);
  return line && [line.message, line.fields['ips'], line.fields['pools']];
}

test('a release names the addresses that were released, and the pools that have them again', () => {
  const givesUp = [{ ip, pool: 'default' }];
  assert.deepEqual(describe('release', { givesUp }), ['Released addresses', [ip], ['default']]);
  const lost = [{ ip, pool: undefined }];
  assert.deepEqual(describe('release', { givesUp: lost }), ['Released addresses', [ip], undefined]);
});

test('a release of nothing is not told', () => {
  assert.equal(describe('release'), undefined);
});

test('what is given is told with its addresses', () => {
  const grant = { ingress: [ip], pools: ['default'] } as unknown as ServiceDecision['grant'];
  assert.deepEqual(describe('assign', { grant }), ['Assigned addresses', [ip], ['default']]);
});
