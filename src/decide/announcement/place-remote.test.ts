import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixOf } from '../../model/prefix.ts';
import { clusterNode, familySamples, member } from './cluster.fixture.ts';
import { ours } from './node.fixture.ts';
import { group, service, v4FarRange, v6FarRange } from './pool.fixture.ts';
import { collectProtected } from './protected-prefixes.ts';
import {
  configOf,
  excluded,
  kubeLb0,
  place,
  placed,
  type SnapshotSpec,
  snapshotOf,
  usualKernel,
} from './snapshot.fixture.ts';

for (const { family, farIp, farIp2, length, hostLength, elsewhere } of familySamples) {
  const web = (spec: object = {}) => service('web', [farIp], { from: 'remote', spec });
  const local = { externalTrafficPolicy: 'Local' };
  const onLink = `${farIp}: remote kube-lb0/${length} (announcingNonLocal)`;

  const wanted = (spec: SnapshotSpec) => place({ services: [web()], ...spec }).wanted;

  test(`${family}: T2: a remote address is on the virtual link of every node, for ever`, () => {
    for (const me of ['a', 'b', 'c']) {
      assert.deepEqual(wanted({ electorate: { me } }), [
        {
          link: 'kube-lb0',
          ip: farIp,
          prefixLength: length,
          validSeconds: Infinity,
          preferredSeconds: Infinity,
          noPrefixRoute: false,
          noDad: true,
        },
      ]);
    }
  });

  test(`${family}: the virtual link's name and lifetimes are configured`, () => {
    const config = configOf({
      dummyInterface: 'lb1',
      addressConfig: {
        dummyInterface: { validLifetime: 600, preferredLifetime: 60, noPrefixRoute: true },
      },
    });
    const [one] = wanted({ config });
    assert.deepEqual(
      [one?.link, one?.validSeconds, one?.preferredSeconds, one?.noPrefixRoute],
      ['lb1', 600, 60, true],
    );
  });

  test(`${family}: an address whose group was deleted keeps the prefix that it has`, () => {
    const annotations = { 'purelb.io/pool-type': 'remote' };
    const services = [service('web', [farIp], { from: 'remote', annotations })];
    const alone = `${farIp}: remote kube-lb0/${hostLength} (announcingNonLocal)`;
    assert.deepEqual(placed({ services, pools: [] }), [alone]);
    const there = ours(kubeLb0, `${farIp}/${length}`);
    const kernel = { addresses: [...(usualKernel.addresses ?? []), there] };
    assert.deepEqual(placed({ services, pools: [], kernel }), [onLink]);
    const shorter = group('remote', {
      remote: { v4pools: [v4FarRange], v6pools: [v6FarRange] },
    });
    const host = ours(kubeLb0, `${farIp}/${hostLength}`);
    const held = { addresses: [...(usualKernel.addresses ?? []), host] };
    assert.deepEqual(placed({ services, pools: [shorter], kernel: held }), [onLink]);
  });

  test(`${family}: T4: several addresses of one aggregate all have its length`, () => {
    const services = [web(), service('api', [farIp2], { from: 'remote' })];
    assert.deepEqual(placed({ services }), [
      onLink,
      `${farIp2}: remote kube-lb0/${length} (announcingNonLocal)`,
    ]);
  });

  test(`${family}: T4: an aggregation of one address stands alone`, () => {
    const hosts = group('remote', {
      remote: {
        v4pools: [{ ...v4FarRange, aggregation: '/32' }],
        v6pools: [{ ...v6FarRange, aggregation: '/128' }],
      },
    });
    assert.equal(wanted({ pools: [hosts] })[0]?.prefixLength, hostLength);
  });

  test(`${family}: T7: with Local only nodes with endpoints have it`, () => {
    const at = (nodes: string) =>
      placed({ services: [web(local)], endpoints: { 'shop/web': nodes } });
    assert.deepEqual(at('a b'), [onLink]);
    assert.deepEqual(at('b'), [`${farIp}: absent (noEndpoints)`]);
    assert.deepEqual(at(''), [`${farIp}: absent (noEndpoints)`]);
  });

  test(`${family}: invariant 6: while endpoints are not known it stays as it is`, () => {
    assert.deepEqual(placed({ services: [web(local)], endpoints: null }), [
      `${farIp}: leave (endpointsUnknown)`,
    ]);
    assert.deepEqual(placed({ services: [web()], endpoints: null }), [onLink]);
  });

  test(`${family}: F5: a node that takes no part has none`, () => {
    const services = [web()];
    assert.deepEqual(placed({ services, electorate: excluded('a') }), [
      `${farIp}: absent (nodeExcluded)`,
    ]);
    const nodes = [clusterNode('a', { isBeingRemoved: true })];
    assert.deepEqual(placed({ services, electorate: { nodes } }), [
      `${farIp}: absent (nodeExcluded)`,
    ]);
    assert.deepEqual(placed({ services, electorate: excluded('b') }), [onLink]);
  });

  test(`${family}: a node that takes no part keeps it until routers have been told`, () => {
    const leaving = { services: [web()], more: { areRoutesLeaving: true } };
    assert.deepEqual(placed({ ...leaving, electorate: excluded('a') }), [
      `${farIp}: leave (routesLeaving)`,
    ]);
    assert.deepEqual(placed(leaving), [onLink]);
    const { now } = snapshotOf(leaving);
    const [decision] = place({ ...leaving, electorate: excluded('a') }).decisions;
    assert.equal(decision?.wakeAt, now + 100);
  });

  test(`${family}: a node without a Lease still serves remote addresses`, () => {
    assert.deepEqual(placed({ services: [web()], electorate: { members: [] } }), [onLink]);
  });

  test(`${family}: T11: a prefix that would capture a subnet of the cluster is not used`, () => {
    const protectedPrefixes = collectProtected({
      nodes: [],
      members: [member('b', { subnets: [prefixOf(elsewhere)] })],
      kernel: usualKernel,
      apiServers: [],
    });
    const { wanted: list, decisions } = place({ services: [web()], more: { protectedPrefixes } });
    assert.deepEqual(
      list.map(({ prefixLength, noPrefixRoute }) => [prefixLength, noPrefixRoute]),
      [[hostLength, true]],
    );
    assert.deepEqual(decisions[0]?.findings, [
      { kind: 'aggregationUnsafe', prefix: elsewhere, what: `${elsewhere}, the subnet of node b` },
    ]);
  });
}
