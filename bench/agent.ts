/** The agent as it is shipped, on five nodes: how soon an address answers and falls silent, and what that costs. */

import { ensureBinaries } from '../lab/control-plane/binaries.ts';
import { bundle } from '../scripts/bundle.ts';
import { measureBursts } from './agent-burst.ts';
import { AgentCluster } from './agent-cluster.ts';
import { measureIdle } from './agent-idle.ts';
import { measureBackToBack, measureOneByOne } from './agent-latency.ts';
import { Prober } from './agent-prober.ts';
import { measureRestarts } from './agent-restart.ts';
import type { Bench } from './bench-report.ts';

export const agent: Bench = {
  name: 'agent',
  description: 'create → answer, delete → silence, bursts of 500 and 1,000, restarts, CPU, memory',
  async prepare(log) {
    const problems = await ensureBinaries(['etcd', 'kube-apiserver'], log);
    for (const problem of problems) log(`${problem}: the embedded API server is used`);
    await bundle();
  },
  async run(report) {
    await using cluster = await AgentCluster.open();
    const { isReal } = cluster.deployed.api;
    report.note(`API server: ${isReal ? 'kube-apiserver' : 'the embedded one'}`);
    const prober = await Prober.open(cluster.deployed.client);
    try {
      await measureOneByOne({ cluster, prober, report });
      await measureBackToBack({ cluster, prober, report });
      const holders = await measureBursts({ cluster, prober, report });
      await measureIdle({ cluster, prober, report });
      await measureRestarts({ cluster, prober, report }, holders);
    } finally {
      prober.close();
    }
  },
};
