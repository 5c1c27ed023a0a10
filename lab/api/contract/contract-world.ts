/** One running server for a whole suite, with a new namespace for each test that wants one. */

import { randomBytes } from 'node:crypto';
import { after, before, type TestContext } from 'node:test';
import { ContractClient } from './contract-client.ts';
import type { ContractServer, StartServer } from './contract-server.ts';

export interface World {
  /** The administrator's client. */
  readonly admin: ContractClient;
  as(user: string): ContractClient;
  anonymous(): ContractClient;
  withToken(token: string): ContractClient;
  /** Creates a namespace and returns its name. */
  namespace(): Promise<string>;
  /** False where the server keeps its history whatever one does; the test is skipped then. */
  compact(test: TestContext): Promise<boolean>;
}

export function startWorld(start: StartServer): World {
  let server: ContractServer | undefined;
  let namespaces = 0;
  // Suites may share one server.
  const prefix = randomBytes(3).toString('hex');
  before(async () => {
    server = await start();
  });
  after(() => server?.stop());
  const running = () => {
    if (server === undefined) throw new Error('the server has not started');
    return server;
  };
  const as = (user: string) => new ContractClient(running(), running().token(user));
  return {
    get admin() {
      return as('admin');
    },
    as,
    anonymous: () => new ContractClient(running(), undefined),
    withToken: (token) => new ContractClient(running(), token),
    compact: async (test) => {
      const { compact } = running();
      if (compact === undefined) test.skip('its watch cache cannot be emptied from outside');
      await compact?.();
      return compact !== undefined;
    },
    namespace: async () => {
      namespaces += 1;
      const name = `contract-${prefix}-${namespaces}`;
      await as('admin').post('/api/v1/namespaces', { metadata: { name } });
      return name;
    },
  };
}
