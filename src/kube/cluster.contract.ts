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

export interface ContractOptions {
  /** Why the server cannot be started here. */
  readonly skip?: string | false;
  /** Cases that this server is known not to keep, each with the reason. */
  readonly except?: Readonly<Record<string, string>>;
}

/** Runs all cases against the server that `start` brings up. */
export function clusterContract(
  name: string,
  start: () => Promise<ContractServer>,
  { skip = false, except = {} }: ContractOptions = {},
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
      const options = { skip: except[title] ?? false };
      test(title, options, async () => run(await freshRoom(connection.cluster, server.config)));
    }
  });
}
