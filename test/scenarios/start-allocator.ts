import { type ControlPlane, startControlPlane } from '../../lab/control-plane/control-plane.ts';
import { readManifest, resourceOf } from '../../lab/manifest.ts';
import { allocatorUser } from '../allocator/allocator-world.ts';
import { ChildAllocator } from '../allocator/test-allocator.ts';
import { type AgentWorld, agentUser } from './agent-world.ts';

/** A real API server that knows our programs and enforces their roles. */
export async function startRealApi(): Promise<ControlPlane> {
  const users = { [agentUser]: ['system:serviceaccounts'], [allocatorUser]: [] };
  return startControlPlane({ authorization: 'rbac', users, auditLog: true });
}

/** As a process of its own, with no more rights than it is installed with. */
export async function startAllocator({ api, cluster }: AgentWorld): Promise<ChildAllocator> {
  for (const object of readManifest('rbac/allocator')) {
    await cluster.create(resourceOf(object), object);
  }
  const { url, ca, adminToken } = api;
  const allocatorToken = api.token(allocatorUser);
  return ChildAllocator.start({ url, ca, adminToken, allocatorToken });
}
