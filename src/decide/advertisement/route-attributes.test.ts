import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeAnnotations as names } from '../../model/annotations.ts';
import { attributesKey, plainRoute } from '../../model/bgp-path.ts';
import { ipOf } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { prefixOf } from '../../model/prefix.ts';
import { service } from '../announcement/pool.fixture.ts';
import { bgpConfig } from './advertisement.fixture.ts';
import { type AttributeFacts, planAttributes } from './route-attributes.ts';

const allowed = bgpConfig({
  serviceAttributes: {
    communities: ['64500:1', '64501:*', '64500:1:*', 'no-export'],
    maxAsPathPrepend: 3,
    med: { min: 10, max: 100 },
    localPref: { max: 200 },
  },
}).serviceAttributes;

const facts: AttributeFacts = { services: [], allowed, asn: 64_500, hasInternal: false };
const path = (text: string) => ({
  ...plainRoute,
  prefix: prefixOf(text),
  nextHop: ipOf('0.0.0.0'),
});

/** A Service of this age, in seconds since the first. */
function asking(name: string, annotations: Readonly<Record<string, string>>, age = 0) {
  const made = service(name, ['203.0.113.7'], { annotations });
  return { ...made, identity: { ...made.identity, createdAt: age * 1000 } };
}

function plan(services: readonly LoadBalancer[], more: Partial<AttributeFacts> = {}) {
  const { paths, refusals } = planAttributes([path('203.0.113.7/32')], {
    ...facts,
    services,
    ...more,
  });
  return {
    words: paths.map(attributesKey).join(),
    refusals: refusals.map((each) => `${each.service.name}: ${each.message}`),
  };
}

test('a route carries what its Service asks for and is allowed', () => {
  const annotations = {
    [names.communities]: '64500:1,64501:7,no-export,64500:1:9',
    [names.asPathPrepend]: '2',
    [names.med]: '10',
  };
  assert.deepEqual(plan([asking('web', annotations)]), {
    words: '64500:1 64501:7 65535:65281 64500:1:9 as-path=64500,64500 med=10',
    refusals: [],
  });
});

test('what is not allowed is refused one by one, and the rest counts', () => {
  const annotations = {
    [names.communities]: '64500:1,64500:2,64500:2:1',
    [names.asPathPrepend]: '4',
    [names.med]: '101',
    [names.localPref]: '201',
  };
  const config = 'of the BGPConfiguration';
  assert.deepEqual(plan([asking('web', annotations)]), {
    words: '64500:1',
    refusals: [
      `web: ${names.communities}: 64500:2 is not in serviceAttributes.communities ${config}`,
      `web: ${names.communities}: 64500:2:1 is not in serviceAttributes.communities ${config}`,
      `web: ${names.asPathPrepend}: 4 is more than serviceAttributes.maxAsPathPrepend ${config} allows`,
      `web: ${names.med}: 101 is not within serviceAttributes.med ${config}`,
      `web: ${names.localPref}: 201 is not within serviceAttributes.localPref ${config}`,
    ],
  });
});

test('without a list nothing is allowed, and what cannot be read is told', () => {
  const none = bgpConfig().serviceAttributes;
  const annotations = { [names.communities]: 'x', [names.med]: '10' };
  const { words, refusals } = plan([asking('web', annotations)], { allowed: none });
  assert.equal(words, '');
  assert.match(
    refusals[0] ?? '',
    /^web: metadata\.annotations\[bgp\.purelb\.io\/communities\]: "x"/,
  );
  assert.match(refusals[1] ?? '', /^web: bgp\.purelb\.io\/med: 10 is not within/);
  assert.equal(refusals.length, 2);
});

test('local preference is for internal neighbours, a longer AS path for external ones', () => {
  const annotations = { [names.localPref]: '150', [names.asPathPrepend]: '1' };
  assert.deepEqual(plan([asking('web', annotations)]), {
    words: 'as-path=64500',
    refusals: [`web: ${names.localPref}: only internal neighbours are sent it, and there is none`],
  });
  assert.deepEqual(plan([asking('web', annotations)], { hasInternal: true }), {
    words: 'local-pref=150',
    refusals: [
      `web: ${names.asPathPrepend}: internal neighbours would drop the route, and there are some`,
    ],
  });
});

test('of Services that share an address the oldest has the say, and others are told', () => {
  const old = asking('old', { [names.med]: '20' }, 1);
  const young = asking('young', { [names.med]: '30' }, 2);
  const alike = asking('alike', { [names.med]: '20' }, 3);
  const silent = asking('silent', {}, 4);
  const told = (name: string, elder: string) =>
    `${name}: 203.0.113.7/32 is the route of shop/${elder} as well, which is older: what that asks for counts`;
  for (const services of [
    [old, young, alike, silent],
    [silent, alike, young, old],
  ]) {
    assert.deepEqual(plan(services), { words: 'med=20', refusals: [told('young', 'old')] });
  }
  assert.deepEqual(plan([asking('silent', {}, 0), young]), {
    words: '',
    refusals: [told('young', 'silent')],
  });
});

test('one that is being deleted, or is none of ours, has no say', () => {
  const young = asking('young', { [names.med]: '30' }, 2);
  const leaving = asking('old', { [names.med]: '20' }, 1);
  const gone = { ...leaving, identity: { ...leaving.identity, isDeleting: true } };
  const foreign = { ...leaving, grant: { ...leaving.grant, isOurs: false } };
  for (const old of [gone, foreign]) {
    assert.deepEqual(plan([old, young]), { words: 'med=30', refusals: [] });
  }
});

test('the oldest Service in an aggregate has the say for all of it, wherever it is served', () => {
  const old = asking('old', { [names.med]: '20' }, 1);
  const young = {
    ...asking('young', { [names.med]: '30' }, 2),
    grant: service('x', ['203.0.113.9']).grant,
  };
  const { paths } = planAttributes([path('203.0.113.0/24'), path('198.51.100.0/24')], {
    ...facts,
    services: [young, old],
  });
  assert.deepEqual(paths.map(attributesKey), ['med=20', '']);
});
