import { type RunningApi, startApi } from '../../lab/api/start-api.ts';
import { AllocatorWorld, allocatorUser } from './allocator-world.ts';

export interface EmbeddedWorld {
  readonly world: AllocatorWorld;
  readonly api: RunningApi;
  close(): Promise<void>;
}

/** A server of its own for each test: it starts in milliseconds. Roles are enforced. */
export async function openEmbedded(): Promise<EmbeddedWorld> {
  const api = await startApi({ rbac: true });
  const world = new AllocatorWorld({
    url: api.url,
    ca: api.ca,
    adminToken: api.adminToken,
    allocatorToken: api.token(allocatorUser, ['system:serviceaccounts']),
  });
  await world.prepare();
  return {
    world,
    api,
    close: async () => {
      world.close();
      await api.stop();
    },
  };
}
