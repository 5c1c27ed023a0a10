/** What every API server, real or imitated, must do for `Cluster` and what stands on it. */

import { after, before, describe, test } from 'node:test';
import type { ApiServerConfig } from './api-server-config.ts';
import { machineCases } from './cluster-machines.contract.ts';
import { objectCases } from './cluster-objects.contract.ts';
import { clock, freshRoom } from './cluster-room.contract.ts';
import { listCases, watchCases } from './cluster-streams.contract.ts';
import { type ClusterConnection, connectCluster } from './connect-cluster.ts';

export interface ContractServer {
  readonly config: ApiServerConfig;
  stop(): Promise<void>;
}

/** Runs all cases against the server that `start` brings up; `skip` says why it cannot be. */
export function clusterContract(
  name: string,
  start: () => Promise<ContractServer>,
  skip: string | false = false,
): void {
  describe(`${name} keeps the contract of the cluster port`, { skip, timeout: 120_000 }, () => {
    let server: ContractServer;
    let connection: ClusterConnection;
    before(async () => {
      server = await start();
      connection = connectCluster(server.config, clock, 'contract');
    });
    after(async () => {
      connection.close();
      await server.stop();
    });
    const cases = { ...objectCases, ...listCases, ...watchCases, ...machineCases };
    for (const [title, run] of Object.entries(cases)) {
      test(title, async () => run(await freshRoom(connection.cluster, server.config)));
    }
  });
}
