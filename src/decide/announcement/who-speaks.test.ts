import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { prefixOf } from '../../model/prefix.ts';
import { clusterNode, familySamples, member } from './cluster.fixture.ts';
import { service } from './pool.fixture.ts';
import { rankNodes } from './rank-nodes.ts';
import { type SnapshotSpec, snapshotOf } from './snapshot.fixture.ts';
import { findRunning, whoSpeaks } from './who-speaks.ts';

const names = ['a', 'b', 'c'];

/** What each node says, from its own point of view. */
function heard(about: LoadBalancer, spec: SnapshotSpec = {}): readonly (string | undefined)[] {
  return names.map((me) =>
    whoSpeaks(about, snapshotOf({ ...spec, electorate: { ...spec.electorate, me } })),
  );
}

const allSay = (name: string | undefined) => names.map(() => name);
const expired = (...dead: readonly string[]): SnapshotSpec => ({
  electorate: {
    liveness: new Map(names.map((name) => [name, dead.includes(name) ? 'expired' : 'alive'])),
  },
});

for (const { family, vip, vip2, farIp, elsewhere } of familySamples) {
  const key = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';
  const web = (slots: string, ips = [vip, vip2]) =>
    service('web', ips, { annotations: { [key]: slots } });
  const far = (spec: object = {}) => service('web', [farIp], { from: 'remote', spec });

  test(`${family}: the holder of the first address speaks for a Service`, () => {
    assert.deepEqual(heard(web(`c,eth0,${vip} b,eth0,${vip2}`)), allSay('c'));
    assert.deepEqual(heard(web(`b,eth0,${vip2}`)), allSay('b'));
  });

  test(`${family}: a holder whose agent is gone does not`, () => {
    const about = web(`c,eth0,${vip} b,eth0,${vip2}`);
    assert.deepEqual(heard(about, expired('c')).slice(0, 2), ['b', 'b']);
    assert.deepEqual(heard(web(`x,eth0,${vip}`)), allSay(rankNodes('shop/web', names)[0]));
  });

  test(`${family}: without a holder all agents choose the same node of the subnet`, () => {
    assert.deepEqual(heard(web('')), allSay(rankNodes('shop/web', names)[0]));
    const other = [prefixOf(elsewhere)];
    const members = names.map((name) => member(name, name === 'b' ? {} : { subnets: other }));
    assert.equal(whoSpeaks(web(''), snapshotOf({ electorate: { members } })), 'b');
  });

  test(`${family}: nodes that take no part come last, and those without an agent never`, () => {
    const nodes = names.map((name) => clusterNode(name, { isExcluded: name !== 'c' }));
    assert.deepEqual(heard(far(), { electorate: { nodes } }), allSay('c'));
    const all = names.map((name) => clusterNode(name, { isExcluded: true }));
    const spec = { electorate: { nodes: all } };
    assert.deepEqual(heard(far(), spec), allSay(rankNodes('shop/web', names)[0]));
    const { electorate } = snapshotOf({
      ...expired('b'),
      electorate: { ...expired('b').electorate, nodes: all },
    });
    assert.deepEqual([...findRunning(electorate)], ['a', 'c']);
  });

  test(`${family}: a remote address is spoken for by a node that it is on`, () => {
    const local = far({ externalTrafficPolicy: 'Local' });
    for (const name of names) {
      assert.deepEqual(heard(local, { endpoints: { 'shop/web': name } }), allSay(name));
    }
    const [best] = rankNodes('shop/web', names);
    assert.deepEqual(heard(local, { endpoints: {} }), allSay(best));
    assert.deepEqual(heard(local, { endpoints: null }), allSay(best));
  });
}

test('where no agent runs, nobody speaks', () => {
  const facts = snapshotOf({ electorate: { members: [] } });
  assert.equal(whoSpeaks(service('web', []), facts), undefined);
});
