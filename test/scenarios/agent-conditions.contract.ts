/** Allocator and agents write conditions of the same Services: neither takes what the other wrote. */

import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import { services } from '../../src/kube/resources.ts';
import { Store } from '../../src/kube/store.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import type { AgentWorld } from './agent-world.ts';

/** `Announced=True Allocated=True`, in order. */
async function statusesOf(world: AgentWorld, name: string): Promise<string> {
  const { status } = await world.cluster.get(services, { namespace: 'shop', name });
  const { conditions = [] } = status as { conditions?: { type: string; status: string }[] };
  return conditions
    .map(({ type, status: value }) => `${type}=${value}`)
    .sort()
    .join(' ');
}

async function messageOf(world: AgentWorld, name: string, type: string): Promise<string> {
  const { status } = await world.cluster.get(services, { namespace: 'shop', name });
  const { conditions = [] } = status as { conditions?: { type: string; message: string }[] };
  return conditions.find((one) => one.type === type)?.message ?? '';
}

/** Every loss of a condition by a Service that still wants addresses, as it happens. */
function watchLosses({ cluster }: AgentWorld, signal: AbortSignal): readonly string[] {
  const losses: string[] = [];
  const store = new Store<KubeObject>({ onListenerError: (error) => losses.push(String(error)) });
  const typesOf = (object?: KubeObject) => {
    const { conditions = [] } = (object?.status ?? {}) as { conditions?: { type: string }[] };
    return conditions.map(({ type }) => type);
  };
  store.subscribe((key, before, after) => {
    const isServed = (after?.['spec'] as { type?: string } | undefined)?.type === 'LoadBalancer';
    const lost = typesOf(before).filter((type) => !typesOf(after).includes(type));
    if (isServed && lost.length > 0) losses.push(`${key} lost ${lost.join()}`);
  });
  const setup = { cluster, resource: services, store, clock: new SystemClock() };
  void new Reflector({ ...setup, random: Math.random }).run(signal);
  return losses;
}

/** `world` has an allocator, agents on three nodes, and a local and a remote group. */
export async function bothWriteConditions(world: AgentWorld): Promise<void> {
  const patient = { withinMs: 60_000 };
  const watching = new AbortController();
  const losses = watchLosses(world, watching.signal);
  const names = Array.from({ length: 12 }, (_, index) => `web${index}`);
  const isDone = (name: string) => async () => {
    assert.equal(await statusesOf(world, name), 'Allocated=True Announced=True');
  };
  const dual = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] };
  await Promise.all(names.map((name) => world.service(name, { ips: [], spec: dual })));
  await world.service('far', { ips: [], group: 'public' });
  for (const name of [...names, 'far']) await eventually(isDone(name), patient);
  assert.match(await messageOf(world, 'far', 'Announced'), /^203\.\S+ on kube-lb0 of every node$/);
  // Both have something to write at the same time: more addresses, and then fewer.
  const single = mergePatch({ spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] } });
  await Promise.all(
    names.map((name) => world.cluster.patch(services, { namespace: 'shop', name }, single)),
  );
  for (const name of names) {
    await eventually(async () => {
      await isDone(name)();
      const message = await messageOf(world, name, 'Announced');
      assert.match(message, /^192\.0\.2\.\d+ by node\d on eth0$/);
    }, patient);
  }
  // Nobody is asked for an address any more: all conditions of ours go with it.
  const plain = mergePatch({ spec: { type: 'ClusterIP' } });
  await world.cluster.patch(services, { namespace: 'shop', name: 'web0' }, plain);
  await eventually(async () => assert.equal(await statusesOf(world, 'web0'), ''), patient);
  watching.abort();
  assert.deepEqual(losses, []);
}
