import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkChoice } from '../../model/agent-config.ts';
import type { Link } from '../../model/link.ts';
import { formatPrefix } from '../../model/prefix.ts';
import { familySamples } from './cluster.fixture.ts';
import { held, link, route } from './node.fixture.ts';
import {
  type KernelView,
  type LinkSurvey,
  type SurveyedLink,
  surveyLinks,
} from './survey-links.ts';

const lo = link('lo', { index: 1, isLoopback: true });
const eth0 = link('eth0', { index: 2 });
const eth1 = link('eth1', { index: 3 });
const virtual = link('kube-lb0', { index: 4, kind: 'dummy', isNoArp: true });
const ipvs = link('kube-ipvs0', { index: 5, kind: 'dummy', isNoArp: true });

const view: KernelView = {
  links: [lo, eth1, eth0, virtual, ipvs],
  addresses: [
    held(lo, '127.0.0.1/8', { scope: 'host' }),
    held(eth0, '192.0.2.1/24'),
    held(eth0, '2001:db8::1/64'),
    held(eth1, '198.51.100.1/24'),
    held(eth1, '2001:db8:ff::1/64'),
    held(virtual, '203.0.113.1/24'),
    held(ipvs, '192.0.2.77/32'),
  ],
  routes: [route(eth0, 'default via 192.0.2.254'), route(eth1, 'default via fe80::1')],
};

function survey(choice: Partial<LinkChoice>, more: Partial<KernelView> = {}): LinkSurvey {
  return surveyLinks(
    { ...view, ...more },
    {
      choice: { pattern: undefined, names: [], ...choice },
      dummyLink: 'kube-lb0',
      health: new Map((view.links ?? []).map(({ index }) => [index, 'ready'])),
    },
  );
}

/** `eth0 192.0.2.0/24; eth1 …` for both families. */
function summary(result: LinkSurvey): { ipv4?: string; ipv6?: string; unread?: string } {
  if (result.kind === 'unknown') return { unread: result.unread.join() };
  const line = (links: readonly SurveyedLink[]) =>
    links.map((one) => [one.link.name, ...one.subnets.map(formatPrefix)].join(' ')).join('; ');
  return { ipv4: line(result.links.ipv4), ipv6: line(result.links.ipv6) };
}

test('spec 19 #28: by default each family has the link of its own default route', () => {
  assert.deepEqual(summary(survey({})), {
    ipv4: 'eth0 192.0.2.0/24',
    ipv6: 'eth1 2001:db8:ff::/64',
  });
});

test('spec 5.4: named links come behind the default link, in the order written', () => {
  assert.deepEqual(summary(survey({ names: ['eth1', 'absent', 'eth0'] })), {
    ipv4: 'eth0 192.0.2.0/24; eth1 198.51.100.0/24',
    ipv6: 'eth1 2001:db8:ff::/64; eth0 2001:db8::/64',
  });
});

test('spec 5.3: a pattern takes links by name, found anywhere in it', () => {
  assert.deepEqual(summary(survey({ pattern: /th/ })), {
    ipv4: 'eth0 192.0.2.0/24; eth1 198.51.100.0/24',
    ipv6: 'eth0 2001:db8::/64; eth1 2001:db8:ff::/64',
  });
  assert.equal(summary(survey({ pattern: /^eth1$/ })).ipv4, 'eth1 198.51.100.0/24');
});

test('a pattern for everything finds neither loopback nor links without neighbours', () => {
  assert.equal(summary(survey({ pattern: /./ })).ipv4, 'eth0 192.0.2.0/24; eth1 198.51.100.0/24');
});

test('T10: the virtual link and those of other managers are never taken, even if named', () => {
  const names = ['kube-lb0', 'kube-ipvs0', 'nodelocaldns', 'eth1'];
  assert.equal(summary(survey({ pattern: /^none$/, names })).ipv4, 'eth1 198.51.100.0/24');
});

test('spec 5.5: loopback is taken when it is named', () => {
  assert.equal(summary(survey({ pattern: /^lo$/, names: ['lo'] })).ipv4, 'lo 127.0.0.0/8');
});

test('decision 5: links whose default route was passed over are told', () => {
  const routes = [
    route(eth0, 'default via 192.0.2.254', { metric: 10 }),
    route(eth1, 'default via 198.51.100.254', { metric: 20 }),
  ];
  const result = survey({}, { routes });
  assert.deepEqual(result.kind === 'known' && result.passedOver, { ipv4: [eth1], ipv6: [] });
});

test('a link that nothing is known of is not ready', () => {
  const health = new Map([[eth0.index, 'settling' as const]]);
  const wish = { choice: { pattern: /eth/, names: [] }, dummyLink: 'kube-lb0', health };
  const result = surveyLinks(view, wish);
  assert.deepEqual(result.kind === 'known' && result.links.ipv4.map((one) => one.health), [
    'settling',
    'down',
  ]);
});

test('invariant 6: a failed read makes the whole survey unknown', () => {
  for (const unread of ['links', 'addresses', 'routes'] as const) {
    assert.deepEqual(summary(survey({}, { [unread]: undefined })), { unread });
  }
});

for (const { family, subnet } of familySamples) {
  test(`${family}: without a default route there are no links unless named`, () => {
    assert.equal(summary(survey({}, { routes: [] }))[family], '');
    assert.equal(summary(survey({ names: ['eth0'] }, { routes: [] }))[family], `eth0 ${subnet}`);
  });
}

test('links without addresses are surveyed with no network', () => {
  const bare: Link = link('eth2', { index: 9 });
  const result = survey({ names: ['eth2'] }, { links: [bare], routes: [] });
  assert.deepEqual(summary(result), { ipv4: 'eth2', ipv6: 'eth2' });
});
