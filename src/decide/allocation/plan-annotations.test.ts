import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import type { WantedGrant } from './allocation-plan.ts';
import { planAnnotations } from './plan-annotations.ts';
import { noGrant } from './wanted-grant.ts';

const grant: WantedGrant = {
  isOurs: true,
  ingress: [ipOf('192.0.2.1')],
  pools: ['lan', 'wan'],
  poolType: 'local',
  prefixes: [prefixOf('192.0.2.1/24'), prefixOf('2001:db8::1/64')],
  skipsDad: true,
  hasFinalizer: true,
  wantsReEvaluation: false,
  isCleared: false,
};

const written = {
  'purelb.io/allocated-by': 'PureLB',
  'purelb.io/allocated-from': 'lan, wan',
  'purelb.io/allocated-prefixes': '192.0.2.1/24,2001:db8::1/64',
  'purelb.io/pool-type': 'local',
  'purelb.io/skip-ipv6-dad': 'true',
};

test('I9: what was given is written in our annotations, and only what differs', () => {
  assert.deepEqual(planAnnotations({}, grant), written);
  assert.equal(planAnnotations({ ...written, other: 'x' }, grant), undefined);
  assert.deepEqual(planAnnotations({ ...written, 'purelb.io/pool-type': 'remote' }, grant), {
    'purelb.io/pool-type': 'local',
  });
});

test('re-evaluation is taken off when it is done, and what is no wish for it stays', () => {
  const name = 'purelb.io/re-evaluate';
  assert.deepEqual(planAnnotations({ ...written, [name]: 'true' }, grant), { [name]: null });
  assert.equal(planAnnotations({ ...written, [name]: 'later' }, grant), undefined);
  const waiting = { ...grant, wantsReEvaluation: true };
  assert.equal(planAnnotations({ ...written, [name]: 'true' }, waiting), undefined);
});

test('17.37: a release takes off all of ours, those of the agents and former ones, and no wish', () => {
  const agents = {
    'purelb.io/announcing-IPv4': 'n,e,192.0.2.1',
    'purelb.io/announcing-IPv6': 'n,e,2001:db8::1',
    'purelb.io/announcing': 'x',
    'purelb.io/announcing-unknown': 'x',
    'purelb.io/added-to': 'n/e',
    'purelb.io/conflict': 'x',
  };
  const wishes = { 'purelb.io/service-group': 'lan', 'purelb.io/addresses': '192.0.2.1' };
  const planned = planAnnotations({ ...written, ...agents, ...wishes }, noGrant([], false));
  const names = [...Object.keys(written), ...Object.keys(agents)];
  assert.deepEqual(planned, Object.fromEntries(names.map((name) => [name, null])));
});

test('the brand of someone else stays', () => {
  assert.equal(
    planAnnotations({ 'purelb.io/allocated-by': 'Other' }, noGrant([], false)),
    undefined,
  );
});
