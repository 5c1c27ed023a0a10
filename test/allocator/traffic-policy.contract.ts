/** `externalTrafficPolicy: Local` on local addresses: rewritten before anybody sees an address, or kept. */

import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { resourceOf } from '../../lab/manifest.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { refOf } from '../../src/kube/resource.ts';
import { services } from '../../src/kube/resources.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { type AllocatorWorld, lookAt } from './allocator-world.ts';
import {
  expectEvents,
  expectService,
  local,
  type OpenWorld,
  scenarios,
} from './first-use.contract.ts';

const soon = { withinMs: 5_000 } as const;
export const localPolicy = { spec: { externalTrafficPolicy: 'Local' } } as const;
export const wayOut =
  '192.0.2.10 is a local address, which one node holds: to keep Local, set externalTrafficPolicy: Preserve on ServiceGroup "default" or annotation purelb.io/allow-local on the Service';
const overridden = `Normal LocalOverride: externalTrafficPolicy is set to Cluster because ${wayOut}`;
const assigned = 'Normal AddressAssigned: Assigned 192.0.2.10 from pool default';

function healthPortOf(object: KubeObject | undefined): number {
  const { healthCheckNodePort = 0 } = (object?.spec ?? {}) as { healthCheckNodePort?: number };
  return healthCheckNodePort;
}

export function policyOf(object: KubeObject | undefined): string | undefined {
  const { externalTrafficPolicy } = (object?.spec ?? {}) as { externalTrafficPolicy?: string };
  return externalTrafficPolicy;
}

/** Collects every version of every Service while `run` goes on. */
export async function watchVersions(
  { cluster }: AllocatorWorld,
  run: () => Promise<void>,
): Promise<readonly KubeObject[]> {
  const versions: KubeObject[] = [];
  const end = new AbortController();
  let version = '0';
  for await (const page of cluster.list(services)) ({ version } = page);
  const options = { version, timeoutSeconds: 60, silenceMs: 90_000, signal: end.signal };
  const watch = cluster.watch(services, options, (events) => {
    for (const event of events) if ('object' in event) versions.push(event.object as KubeObject);
  });
  try {
    await run();
  } finally {
    end.abort();
    await watch.catch(() => {});
  }
  return versions;
}

/** `policy ingress` of each version, without repetitions. */
export function stagesOf(versions: readonly KubeObject[], name: string): readonly string[] {
  const stages = versions
    .filter(({ metadata }) => metadata.name === name)
    .map((object) => `${policyOf(object)} ${lookAt(object).ingress.join(',')}`.trimEnd());
  return stages.filter((stage, index) => stage !== stages[index - 1]);
}

export function trafficPolicyContract(open: () => Promise<OpenWorld>): void {
  const scenario = scenarios(open);

  scenario(
    'no version of a Service shows an address with a policy that is rewritten after',
    async (world) => {
      await world.group('default', local);
      const versions = await watchVersions(world, async () => {
        await world.service('web', localPolicy);
        await expectService(world, 'web', { ingress: ['192.0.2.10'] });
        await world.service('plain');
        await expectService(world, 'plain', { ingress: ['192.0.2.11'] });
      });
      assert.deepEqual(stagesOf(versions, 'web'), ['Local', 'Cluster', 'Cluster 192.0.2.10']);
      assert.deepEqual(stagesOf(versions, 'plain'), ['Cluster', 'Cluster 192.0.2.11']);
      const published = versions.find((object) => lookAt(object).ingress.length > 0);
      assert.equal(healthPortOf(published), 0);
      await expectEvents(world, 'web', [overridden, assigned]);
      await expectService(world, 'web', {
        allocated: `True Allocated: 192.0.2.10 from pool default; externalTrafficPolicy was set to Cluster because ${wayOut}`,
      });
    },
  );

  scenario(
    'a Service whose policy is rewritten takes two writes, any other one',
    async (world, allocator) => {
      await world.group('default', local);
      const versions = await watchVersions(world, async () => {
        await world.service('web', localPolicy);
        await expectService(world, 'web', { ingress: ['192.0.2.10'] });
        await world.service('plain');
        await expectService(world, 'plain', { ingress: ['192.0.2.11'] });
        await allocator.stop();
      });
      const count = (name: string) =>
        versions.filter(({ metadata }) => metadata.name === name).length;
      assert.deepEqual([count('web'), count('plain')], [3, 2], 'the first version is the creation');
    },
  );

  scenario(
    'a group with externalTrafficPolicy Preserve keeps Local, and a later edit moves nothing',
    async (world) => {
      await world.group('default', { ...local, externalTrafficPolicy: 'Preserve' });
      const versions = await watchVersions(world, async () => {
        await world.service('web', localPolicy);
        await expectService(world, 'web', {
          ingress: ['192.0.2.10'],
          allocated: 'True Allocated: 192.0.2.10 from pool default',
        });
        for (const externalTrafficPolicy of ['Cluster', 'Local']) {
          await world.editService('web', { spec: { externalTrafficPolicy } });
        }
        const after = await world.readService('web');
        assert.ok(healthPortOf(after) > 0);
      });
      const stages = ['Local', 'Local 192.0.2.10', 'Cluster 192.0.2.10', 'Local 192.0.2.10'];
      assert.deepEqual(stagesOf(versions, 'web'), stages);
      await expectEvents(world, 'web', [assigned]);
    },
  );

  scenario(
    'a group that preserves Local no longer has the policy of its Services rewritten',
    async (world) => {
      await world.group('default', { ...local, externalTrafficPolicy: 'Preserve' });
      await world.service('web', localPolicy);
      await expectService(world, 'web', { ingress: ['192.0.2.10'] });
      await world.editGroup('default', { externalTrafficPolicy: 'Cluster' });
      await eventually(async () => {
        assert.equal(policyOf(await world.readService('web')), 'Cluster');
      }, soon);
      await expectEvents(world, 'web', [assigned, overridden]);
    },
  );

  scenario('who sets externalTrafficPolicy back three times in a minute wins', async (world) => {
    await world.group('default', local);
    await world.service('web', localPolicy);
    for (let revert = 1; revert <= 3; revert += 1) {
      await eventually(async () => {
        assert.equal(policyOf(await world.readService('web')), 'Cluster');
      }, soon);
      await world.editService('web', localPolicy);
    }
    const text = `externalTrafficPolicy is left at Local because it was set back 3 times within a minute, though ${wayOut}`;
    await eventually(async () => {
      const events = await world.eventsOf('web');
      assert.ok(events.includes(`Warning ConfigurationWarning: ${text}`), events.join('\n'));
    }, soon);
    const found = await world.readService('web');
    assert.deepEqual([policyOf(found), found && lookAt(found).ingress], ['Local', ['192.0.2.10']]);
  });

  scenario(
    'where a policy of the cluster forbids the rewrite, the address is published with its words',
    async (world) => {
      await world.group('default', local);
      await using _ = await forbidRewrites(world);
      await world.service('web', localPolicy);
      await expectService(world, 'web', { ingress: ['192.0.2.10'] });
      const found = await world.readService('web');
      const { allocated = '' } = found === undefined ? {} : lookAt(found);
      assert.equal(policyOf(found), 'Local');
      assert.match(
        allocated,
        /left at Local because the change to Cluster failed \(.*stays Local here/,
      );
    },
  );
}

/** Resolves once the API server goes by it. */
async function forbidRewrites(world: AllocatorWorld): Promise<AsyncDisposable> {
  const kind = (name: string) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: name,
    metadata: { name: 'stays-local' },
  });
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['services'] };
  const expression =
    "oldObject.spec.externalTrafficPolicy != 'Local' || object.spec.externalTrafficPolicy == 'Local'";
  const objects: readonly KubeObject[] = [
    {
      ...kind('ValidatingAdmissionPolicy'),
      spec: {
        matchConstraints: { resourceRules: [{ ...rule, operations: ['UPDATE'] }] },
        validations: [{ expression, message: 'it stays Local here' }],
      },
    },
    {
      ...kind('ValidatingAdmissionPolicyBinding'),
      spec: { policyName: 'stays-local', validationActions: ['Deny'] },
    },
  ];
  for (const object of objects) await world.create(resourceOf(object), object);
  const spec = { externalTrafficPolicy: 'Local', loadBalancerClass: 'example.com/other' };
  await world.service('probe', { spec });
  const ref = { namespace: 'shop', name: 'probe' };
  const rewrite = mergePatch({ spec: { externalTrafficPolicy: 'Cluster' } });
  await eventually(
    () => assert.rejects(world.cluster.patch(services, ref, rewrite, { isDryRun: true })),
    { withinMs: 20_000 },
  );
  const remove = async () => {
    for (const object of objects) await world.cluster.delete(resourceOf(object), refOf(object));
  };
  return { [Symbol.asyncDispose]: remove };
}
