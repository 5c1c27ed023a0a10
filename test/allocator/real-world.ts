import { execFileSync } from 'node:child_process';
import { after, before } from 'node:test';
import { type ControlPlane, startControlPlane } from '../../lab/control-plane/control-plane.ts';
import { eventually } from '../../lab/eventually.ts';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { type Resource, refOf } from '../../src/kube/resource.ts';
import { events, leases, serviceGroups, services } from '../../src/kube/resources.ts';
import { AllocatorWorld, allocatorUser } from './allocator-world.ts';

export interface RealWorld {
  readonly world: AllocatorWorld;
  readonly controlPlane: ControlPlane;
  close(): Promise<void>;
}

/** One real API server for all tests of a file, emptied after each. Roles are enforced. */
export function openReal(): () => Promise<RealWorld> {
  let controlPlane: ControlPlane | undefined;
  before(async () => {
    enterFreshNamespace();
    execFileSync('ip', ['link', 'set', 'lo', 'up']);
    const users = { [allocatorUser]: ['system:serviceaccounts'] };
    controlPlane = await startControlPlane({ authorization: 'rbac', users, auditLog: true });
  });
  after(() => controlPlane?.stop());
  return async () => {
    if (controlPlane === undefined) throw new Error('the API server has not started');
    const { url, ca, adminToken } = controlPlane;
    const allocatorToken = controlPlane.token(allocatorUser);
    const world = new AllocatorWorld({ url, ca, adminToken, allocatorToken });
    await world.prepare();
    return { world, controlPlane, close: () => close(world) };
  };
}

async function close(world: AllocatorWorld): Promise<void> {
  for (const resource of [services, serviceGroups, leases, events]) {
    await empty(world, resource as Resource);
  }
  world.close();
}

async function empty(world: AllocatorWorld, resource: Resource): Promise<void> {
  await eventually(
    async () => {
      const left = await removeAll(world, resource);
      if (left > 0) throw new Error(`${left} ${resource.plural} are left`);
    },
    { withinMs: 10_000 },
  );
}

/** Returns how many there were. */
async function removeAll({ cluster }: AllocatorWorld, resource: Resource): Promise<number> {
  let found = 0;
  for await (const { items } of cluster.list(resource)) {
    for (const object of items.filter(({ metadata }) => metadata.name !== 'kubernetes')) {
      found += 1;
      const patch = mergePatch({ metadata: { finalizers: null } });
      await cluster.patch(resource, refOf(object), patch).catch(() => {});
      await cluster.delete(resource, refOf(object)).catch(() => {});
    }
  }
  return found;
}
