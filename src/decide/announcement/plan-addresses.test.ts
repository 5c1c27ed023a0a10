import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeldAddress, WantedAddress } from '../../model/address.ts';
import type { Ip } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { familySamples } from './cluster.fixture.ts';
import { held, link, ours } from './node.fixture.ts';
import { type AddressPlan, isAsWanted, planAddresses } from './plan-addresses.ts';

const eth0 = link('eth0');
const eth1 = link('eth1', { index: 3 });

function want(on: string, prefix: string, more: Partial<WantedAddress> = {}): WantedAddress {
  const { ip, length } = prefixOf(prefix);
  return {
    link: on,
    ip,
    prefixLength: length,
    validSeconds: 300,
    preferredSeconds: 300,
    noPrefixRoute: true,
    noDad: true,
    ...more,
  };
}

function planOf(
  wanted: readonly WantedAddress[],
  present: readonly HeldAddress[],
  left: readonly Ip[] = [],
): AddressPlan {
  return planAddresses({ wanted, held: present, left: new Set(left), now: 1_000_000 });
}

/** `add 192.0.2.100/24 eth0 (missing)`. */
function plan(...args: Parameters<typeof planOf>): readonly string[] {
  return planOf(...args).changes.map(({ change, reason }) => {
    const { ip, prefixLength, link: on } = change.address;
    return `${change.kind} ${ip}/${prefixLength} ${on} (${reason})`;
  });
}

for (const { family, vip, vip2, length, hostLength, nodeIp } of familySamples) {
  const one = `${vip}/${length}`;
  const two = `${vip2}/${length}`;

  test(`${family}: what is missing is added, what is not wanted is removed`, () => {
    assert.deepEqual(plan([want('eth0', one)], [ours(eth0, two)]), [
      `add ${one} eth0 (missing)`,
      `remove ${two} eth0 (notWanted)`,
    ]);
  });

  test(`${family}: what is as wanted stays as it is`, () => {
    assert.deepEqual(plan([want('eth0', one)], [ours(eth0, one)]), []);
  });

  test(`${family}: an address is as wanted if nothing would be done about it`, () => {
    const isAs = (more: Partial<HeldAddress>) =>
      isAsWanted({ wanted: want('eth0', one), held: ours(eth0, one, more) });
    assert.equal(isAs({}), true);
    assert.equal(isAs({ validSeconds: 200, preferredSeconds: 200 }), true);
    assert.equal(isAs({ validSeconds: 150, preferredSeconds: 150 }), false);
    assert.equal(isAs({ noPrefixRoute: false }), false);
    assert.equal(isAs({ prefixLength: 20 }), false);
  });

  test(`${family}: a move between links adds before it removes`, () => {
    assert.deepEqual(plan([want('eth1', one)], [ours(eth0, one)]), [
      `add ${one} eth1 (missing)`,
      `remove ${one} eth0 (notWanted)`,
    ]);
  });

  test(`${family}: T6: when one is past half of its life, all are refreshed`, () => {
    const old = { validSeconds: 150, preferredSeconds: 150 };
    const young = { validSeconds: 290, preferredSeconds: 290 };
    const wanted = [want('eth0', one), want('eth0', two)];
    assert.deepEqual(plan(wanted, [ours(eth0, one, old), ours(eth0, two, young)]), [
      `refresh ${one} eth0 (halfLife)`,
      `refresh ${two} eth0 (halfLife)`,
    ]);
    assert.deepEqual(plan(wanted, [ours(eth0, one, young), ours(eth0, two, young)]), []);
  });

  test(`${family}: permanent addresses are not refreshed with the others`, () => {
    const forEver = { validSeconds: Infinity, preferredSeconds: Infinity };
    const wanted = [want('eth0', one), want('kube-lb0', two, forEver)];
    const present = [
      ours(eth0, one, { validSeconds: 10, preferredSeconds: 10 }),
      ours(link('kube-lb0', { index: 9 }), two, forEver),
    ];
    assert.deepEqual(plan(wanted, present), [`refresh ${one} eth0 (halfLife)`]);
  });

  test(`${family}: it says when the next refresh is due`, () => {
    assert.equal(planOf([want('eth0', one)], [ours(eth0, one)]).wakeAt, 1_150_000);
    const wanted = [want('eth0', one), want('eth0', two, { validSeconds: 60 })];
    assert.equal(planOf(wanted, []).wakeAt, 1_030_000);
    assert.equal(planOf([], [held(eth0, one)]).wakeAt, Infinity);
  });

  test(`${family}: another lifetime or route flag is set at once`, () => {
    const longer = { validSeconds: 600, preferredSeconds: 600 };
    assert.deepEqual(plan([want('eth0', one)], [ours(eth0, one, longer)]), [
      `refresh ${one} eth0 (lifetime)`,
    ]);
    const present = [ours(eth0, one, { noPrefixRoute: false })];
    assert.deepEqual(plan([want('eth0', one)], present), [`refresh ${one} eth0 (prefixRoute)`]);
  });

  test(`${family}: invariant 9: what is not marked ours is never removed`, () => {
    assert.deepEqual(plan([], [held(eth0, one), ours(eth0, two)]), [
      `remove ${two} eth0 (notWanted)`,
    ]);
  });

  test(`${family}: a foreign address in the way is left alone and reported`, () => {
    const { changes, blocked } = planOf([want('eth0', one)], [held(eth0, `${vip}/${hostLength}`)]);
    assert.deepEqual([changes, blocked], [[], [want('eth0', one)]]);
  });

  test(`${family}: ours is refreshed also beside the same address of another length that someone added`, () => {
    const foreign = held(eth0, `${vip}/${hostLength}`);
    const aged = ours(eth0, one, { validSeconds: 100, preferredSeconds: 100 });
    const { blocked } = planOf([want('eth0', one)], [foreign, aged]);
    assert.deepEqual(plan([want('eth0', one)], [foreign, aged]), [
      `refresh ${one} eth0 (halfLife)`,
    ]);
    assert.deepEqual(blocked, []);
  });

  test(`${family}: T10: the same address on a link of another manager is not in the way`, () => {
    const ipvs = link('kube-ipvs0', { index: 8 });
    assert.deepEqual(plan([want('eth0', one)], [held(ipvs, `${vip}/${hostLength}`)]), [
      `add ${one} eth0 (missing)`,
    ]);
  });

  test(`${family}: invariant 6: what is not known to be unwanted stays`, () => {
    const present = [ours(eth0, one), ours(eth1, one), ours(eth0, two)];
    assert.deepEqual(plan([], present, [vip]), [`remove ${two} eth0 (notWanted)`]);
  });

  test(`${family}: the node's own address is never taken for one of ours`, () => {
    assert.deepEqual(plan([], [held(eth0, `${nodeIp}/${length}`)]), []);
  });
}

test('IPv4 holds an address with two prefix lengths for a moment, IPv6 changes it in place', () => {
  assert.deepEqual(
    plan([want('kube-lb0', '198.51.100.7/32')], [ours(link('kube-lb0'), '198.51.100.7/24')]),
    ['add 198.51.100.7/32 kube-lb0 (missing)', 'remove 198.51.100.7/24 kube-lb0 (notWanted)'],
  );
  assert.deepEqual(
    plan([want('kube-lb0', '2001:db8::7/128')], [ours(link('kube-lb0'), '2001:db8::7/64')]),
    ['refresh 2001:db8::7/128 kube-lb0 (prefixLength)'],
  );
});

test('decision 7: an address that failed detection is neither refreshed nor added again', () => {
  const failed = ours(eth0, '2001:db8::100/64', { hasFailedDad: true, validSeconds: 10 });
  const { changes, duplicates } = planOf([want('eth0', '2001:db8::100/64')], [failed]);
  assert.deepEqual([changes, duplicates], [[], [failed]]);
  assert.deepEqual(plan([], [failed]), ['remove 2001:db8::100/64 eth0 (notWanted)']);
});

test('decision 23: ours go behind the node’s own address again, all at once', () => {
  const present = [
    ours(eth0, '192.0.2.100/24'),
    ours(eth0, '192.0.2.101/24', { isSecondary: true }),
    ours(eth0, '192.0.2.102/24', { isSecondary: true }),
    held(eth0, '192.0.2.1/24', { isSecondary: true }),
  ];
  const wanted = [want('eth0', '192.0.2.100/24'), want('eth0', '192.0.2.101/24')];
  assert.deepEqual(plan(wanted, present), [
    'remove 192.0.2.100/24 eth0 (primary)',
    'remove 192.0.2.101/24 eth0 (primary)',
    'add 192.0.2.100/24 eth0 (primary)',
    'add 192.0.2.101/24 eth0 (primary)',
    'remove 192.0.2.102/24 eth0 (notWanted)',
  ]);
});

test('what is removed and added again anyway is not refreshed as well', () => {
  const present = [
    ours(eth0, '192.0.2.100/24', { validSeconds: 10, preferredSeconds: 10 }),
    held(eth0, '192.0.2.1/24', { isSecondary: true }),
  ];
  assert.deepEqual(plan([want('eth0', '192.0.2.100/24')], present), [
    'remove 192.0.2.100/24 eth0 (primary)',
    'add 192.0.2.100/24 eth0 (primary)',
  ]);
});
