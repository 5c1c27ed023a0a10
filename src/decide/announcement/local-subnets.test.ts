import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Link } from '../../model/link.ts';
import { encodeMemberLinks, parseMemberLinks } from '../../model/member-links.ts';
import { must } from '../../model/parsed.ts';
import type { LinkHealth } from './judge-links.ts';
import { describeLinks, encodeSubnets, findLocalSubnets } from './local-subnets.ts';
import { held, link, ours, route } from './node.fixture.ts';
import { type KernelView, surveyLinks } from './survey-links.ts';

const eth0 = link('eth0', { index: 2 });
const eth1 = link('eth1', { index: 3 });
const view: KernelView = {
  links: [eth0, eth1],
  addresses: [
    held(eth0, '192.0.2.1/24'),
    held(eth0, '2001:db8::1/64'),
    held(eth0, 'fe80::1/64'),
    ours(eth0, '203.0.113.9/24'),
    held(eth1, '198.51.100.1/24'),
  ],
  routes: [route(eth0, 'default via fe80::99'), route(eth0, 'default via 192.0.2.254')],
};

function survey(more: Partial<KernelView> = {}, health: Readonly<Record<string, LinkHealth>> = {}) {
  const seen = { ...view, ...more };
  return surveyLinks(seen, {
    choice: { pattern: undefined, names: ['eth1'] },
    dummyLink: 'kube-lb0',
    health: new Map((seen.links ?? []).map(({ index, name }) => [index, health[name] ?? 'ready'])),
  });
}

function texts(result: ReturnType<typeof findLocalSubnets>) {
  return result && [encodeSubnets(result.ready), encodeSubnets(result.unready)];
}

test('the Lease tells the networks of the chosen links, sorted, without blanks', () => {
  assert.deepEqual(texts(findLocalSubnets(survey())), [
    '192.0.2.0/24,198.51.100.0/24,2001:db8::/64',
    '',
  ]);
});

test('without links or addresses it tells none', () => {
  assert.deepEqual(texts(findLocalSubnets(survey({ addresses: [] }))), ['', '']);
});

test('F14: networks of links that are not ready are left out, so that all nodes know', () => {
  assert.deepEqual(texts(findLocalSubnets(survey({}, { eth0: 'noCarrier' }))), [
    '198.51.100.0/24',
    '192.0.2.0/24,2001:db8::/64',
  ]);
});

test('a network that another link of the node serves is ready all the same', () => {
  const addresses = [held(eth0, '192.0.2.1/24'), held(eth1, '192.0.2.2/24')];
  const subnets = findLocalSubnets(survey({ addresses }, { eth0: 'settling' }));
  assert.deepEqual(texts(subnets), ['192.0.2.0/24', '']);
});

test('invariant 6: what could not be read changes nothing in the Lease', () => {
  const unknown = survey({ routes: undefined });
  assert.equal(findLocalSubnets(unknown), undefined);
  assert.equal(describeLinks(unknown, view), undefined);
});

/** `eth0: macs | addresses | gateways`, as another agent reads it. */
function described(seen: KernelView): readonly string[] {
  const text = encodeMemberLinks(describeLinks(survey(seen), seen) ?? { version: 9, links: [] });
  const { version, links } = must(parseMemberLinks(text));
  assert.equal(version, 2);
  return links.map(({ name, macs, addresses, gateways }) => {
    const prefixes = addresses.map(({ ip, length }) => `${ip}/${length}`);
    return `${name}: ${macs.map((mac) => mac.slice(-2))} | ${prefixes} | ${gateways}`;
  });
}

test('each chosen link is described with its addresses, gateways and MACs', () => {
  const [plain0, plain1]: Link[] = [
    { ...eth0, kind: 'veth' },
    { ...eth1, kind: 'veth' },
  ];
  assert.deepEqual(described({ ...view, links: [plain1, plain0].flatMap((one) => one ?? []) }), [
    'eth0: 02 | 192.0.2.1/24,2001:db8::1/64 | 192.0.2.254,fe80::99',
    'eth1: 03 | 198.51.100.1/24 | ',
  ]);
});

test('members of a bond, physical cards and links in the same network may answer for it too', () => {
  const bond = link('eth0', { index: 2, kind: 'bond' });
  const links = [
    bond,
    link('slave1', { index: 4, kind: 'veth', masterIndex: 2 }),
    link('card', { index: 5 }),
    link('same', { index: 6, kind: 'vlan' }),
    link('docker0', { index: 7, kind: 'bridge' }),
    link('lo', { index: 1, isLoopback: true }),
    link('kube-ipvs0', { index: 8, kind: 'dummy', isNoArp: true }),
  ];
  const same = link('same', { index: 6 });
  const docker = link('docker0', { index: 7 });
  const addresses = [
    held(bond, '192.0.2.1/24'),
    held(same, '192.0.2.2/24'),
    held(docker, '203.0.113.1/24'),
    held(link('kube-ipvs0', { index: 8 }), '192.0.2.77/32'),
  ];
  assert.deepEqual(described({ links, addresses, routes: [route(bond, 'default')] }), [
    'eth0: 02,04,05,06 | 192.0.2.1/24 | ',
  ]);
});
