import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOpening } from '../../model/guard.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { readAgentOffer } from '../../model/read-agent-offer.ts';
import { familySamples } from './cluster.fixture.ts';
import { held, link, ours } from './node.fixture.ts';
import { placeAddresses } from './place-addresses.ts';
import { noticeGuardFailure, planGuard } from './plan-guard.ts';
import { service } from './pool.fixture.ts';
import {
  configOf,
  eth0,
  kubeLb0,
  type SnapshotSpec,
  snapshotOf,
  usualKernel,
} from './snapshot.fixture.ts';

const guarded = configOf({ guard: true });
const own = usualKernel.addresses ?? [];

function serviceWith(
  name: string,
  ip: string,
  ports: readonly string[],
  from = 'local',
): LoadBalancer {
  const spec = ports
    .map((text) => text.split(' '))
    .map(([protocol, port]) => {
      return { protocol, port: Number(port) };
    });
  return service(name, [ip], { from, spec: { ports: spec } });
}

/** Node `a` alone: addresses, then openings. */
function plan(spec: SnapshotSpec): readonly string[] | undefined {
  const snapshot = snapshotOf({ nodes: ['a'], config: guarded, ...spec });
  const rules = planGuard(snapshot, placeAddresses(snapshot));
  return rules && [...rules.addresses, ...rules.openings.map(formatOpening)];
}

for (const { family, vip, vip2, farIp, length, hostLength, nodeIp } of familySamples) {
  const web = serviceWith('web', vip, ['TCP 80', 'UDP 53']);

  test(`${family}: an address of this node is open for the ports of its Service`, () => {
    assert.deepEqual(plan({ services: [web] }), [vip, `${vip} TCP 80`, `${vip} UDP 53`]);
  });

  test(`${family}: decision 24: without the option nothing is guarded`, () => {
    assert.deepEqual(plan({ services: [web], config: configOf() }), []);
    assert.deepEqual(plan({ services: [web], config: undefined }), []);
  });

  test(`${family}: a remote address is guarded too`, () => {
    const far = serviceWith('far', farIp, ['SCTP 5060'], 'remote');
    assert.deepEqual(plan({ services: [far] }), [farIp, `${farIp} SCTP 5060`]);
  });

  test(`${family}: an address that several share is open for the ports of all`, () => {
    const mail = serviceWith('mail', vip, ['TCP 25', 'UDP 53']);
    assert.deepEqual(plan({ services: [web, mail] }), [
      vip,
      `${vip} TCP 25`,
      `${vip} UDP 53`,
      `${vip} TCP 80`,
    ]);
  });

  test(`${family}: what another node has is not guarded here`, () => {
    const elsewhere = { nodes: ['a', 'b'], electorate: { me: 'b' } };
    const here = plan({ services: [web], nodes: ['a', 'b'] });
    const there = plan({ services: [web], ...elsewhere });
    assert.deepEqual([here, there].map((found) => found?.length).sort(), [0, 3]);
  });

  test(`${family}: what is still here is guarded until it is gone`, () => {
    const addresses = [
      ...own,
      ours(eth0, `${vip2}/${length}`),
      ours(kubeLb0, `${farIp}/${hostLength}`),
    ];
    assert.deepEqual(plan({ kernel: { addresses } }), [vip2, farIp].sort());
    assert.deepEqual(plan({ kernel: { addresses }, config: configOf() }), []);
  });

  test(`${family}: an address whose placing waits stays open for its Service while it is here`, () => {
    const addresses = [...own, ours(eth0, `${vip}/${length}`)];
    const local = service('web', [vip], {
      spec: { ports: [{ port: 80 }], externalTrafficPolicy: 'Local' },
      annotations: { 'purelb.io/allow-local': 'true' },
    });
    assert.deepEqual(plan({ services: [local], kernel: { addresses }, endpoints: null }), [
      vip,
      `${vip} TCP 80`,
    ]);
  });

  test(`${family}: the node's own address is never guarded, whoever was given it`, () => {
    assert.deepEqual(plan({ services: [serviceWith('web', nodeIp, ['TCP 80'])] }), []);
  });

  test(`${family}: an address that IPVS keeps on its link is guarded all the same`, () => {
    const ipvs = link('kube-ipvs0', { index: 8, isNoArp: true });
    const links = [...(usualKernel.links ?? []), ipvs];
    const addresses = [...own, held(ipvs, `${vip}/${hostLength}`)];
    assert.deepEqual(plan({ services: [web], kernel: { links, addresses } })?.[0], vip);
  });

  test(`${family}: while the kernel cannot be read the guard stays as it is`, () => {
    const kernel = { addresses: undefined };
    assert.equal(plan({ services: [web], kernel }), undefined);
    assert.deepEqual(plan({ services: [web], kernel, config: configOf() }), []);
  });
}

test('a guard that cannot be put up is told on the LBNodeAgent that asks for it', () => {
  const offers = ['default', 'other'].map((name) => {
    return readAgentOffer({ metadata: { namespace: 'purelb', name, uid: `uid-${name}` } });
  });
  const failure = { node: 'a', words: 'this kernel has no nf_tables' };
  assert.deepEqual(noticeGuardFailure({ source: 'purelb/default' }, offers, failure), [
    {
      about: { namespace: 'purelb', name: 'default', uid: 'uid-default' },
      reason: 'GuardFailed',
      message: 'spec.local.guard has no effect on node a: this kernel has no nf_tables',
    },
  ]);
  assert.deepEqual(noticeGuardFailure({ source: undefined }, offers, failure), []);
});
