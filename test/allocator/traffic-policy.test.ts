import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest } from '../../lab/api/api-request.ts';
import type { Fault } from '../../lab/api/faults/fault.ts';
import { eventually } from '../../lab/eventually.ts';
import { allocatorUser, installNamespace, lookAt } from './allocator-world.ts';
import { openEmbedded } from './embedded-world.ts';
import { local } from './first-use.contract.ts';
import type { ApiExchange } from './memory-transport.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import { startHere } from './test-allocator.ts';
import { localPolicy, policyOf, trafficPolicyContract } from './traffic-policy.contract.ts';

const soon = { withinMs: 5_000 } as const;

trafficPolicyContract(openEmbedded);

const ends: readonly (readonly [string, Fault])[] = [
  ['is forbidden', { kind: 'status', code: 403 }],
  ['ends in an error of an admission hook', { kind: 'status', code: 500 }],
  ['is never answered', { kind: 'hang' }],
];

for (const [how, fault] of ends) {
  test(`a rewrite that ${how} is given up, and the address is published with a warning`, async () => {
    const { world, api, close } = await openEmbedded();
    const match = { user: allocatorUser, verb: 'patch', resource: 'services' };
    api.faults.add({ match, fault });
    const allocator = await startHere(world);
    try {
      await world.group('default', local);
      await world.service('web', localPolicy);
      await eventually(
        async () => {
          const found = await world.readService('web');
          const look = found && lookAt(found);
          assert.deepEqual([policyOf(found), look?.ingress], ['Local', ['192.0.2.10']]);
          assert.match(
            look?.allocated ?? '',
            /is left at Local because the change to Cluster failed/,
          );
        },
        { withinMs: 25_000 },
      );
      await eventually(async () => {
        const reasons = (await world.eventsOf('web')).map((event) => event.split(':')[0]);
        assert.deepEqual(reasons.sort(), [
          'Normal AddressAssigned',
          'Warning ConfigurationWarning',
        ]);
      }, soon);
    } finally {
      await allocator.stop();
      await close();
    }
  });
}

test('a rewrite that an admission hook undoes at once is tried three times, not for ever', async () => {
  const cluster = new SimulatedCluster(1);
  const isRewrite = ({ method, url }: ApiRequest) =>
    method === 'PATCH' && /\/services\/web(\?|$)/.test(url);
  const api: ApiExchange = {
    exchange: (request) =>
      cluster.faults.exchange(isRewrite(request) ? { ...request, body: '{}' } : request),
  };
  const { transport, stop } = cluster.start({ api });
  const groups = `/apis/purelb.io/v2/namespaces/${installNamespace}/servicegroups`;
  const kind = { apiVersion: 'purelb.io/v2', kind: 'ServiceGroup' };
  cluster.send('POST', groups, { ...kind, metadata: { name: 'default' }, spec: local });
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }], externalTrafficPolicy: 'Local' };
  const path = '/api/v1/namespaces/shop/services';
  cluster.send('POST', path, { metadata: { name: 'web' }, spec });
  await cluster.clock.advance(60_000);
  const { ingress, allocated } = lookAt(cluster.send('GET', `${path}/web`));
  assert.deepEqual(ingress, ['192.0.2.10']);
  assert.match(allocated ?? '', /the change to Cluster failed \(an admission hook undoes it\)/);
  const writes = transport.writes.filter((write) => write.includes('/services/web'));
  const rewrite = `PATCH ${path}/web`;
  assert.deepEqual(writes, [rewrite, rewrite, rewrite, `${rewrite}/status`]);
  await stop();
});
