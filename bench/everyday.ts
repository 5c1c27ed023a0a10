/** The everyday job of a cluster of three nodes: what it takes from a request to traffic, and what it costs. */

import { ensureBinaries } from '../lab/control-plane/binaries.ts';
import { bundle } from '../scripts/bundle.ts';
import { AgentCluster } from './agent-cluster.ts';
import { Prober } from './agent-prober.ts';
import { AddressWatch } from './allocator-cluster.ts';
import type { Bench } from './bench-report.ts';
import { measureDeath, measureLeader, measurePeaks } from './everyday-faults.ts';
import { measureBackToBack, measureOneByOne, measureRemote } from './everyday-latency.ts';
import { EverydayLoad, measureBurst, measureIdle } from './everyday-load.ts';
import type { EverydayStage } from './everyday-stage.ts';

const nodes = 3;

/** In this order: the later ones use the Services of the burst, or break what the earlier ones need. */
const parts: Readonly<Record<string, (stage: EverydayStage) => Promise<void>>> = {
  'one at a time': measureOneByOne,
  'back to back': measureBackToBack,
  remote: measureRemote,
  burst: measureBurst,
  idle: measureIdle,
  memory: measurePeaks,
  'node death': measureDeath,
  'leader death': measureLeader,
};

export const everyday: Bench = {
  name: 'everyday',
  description: `three nodes: create, delete, 500 at once, idle, deaths (--only ${Object.keys(parts).join(' | ')})`,
  async prepare(log) {
    const problems = await ensureBinaries(['etcd', 'kube-apiserver'], log);
    for (const problem of problems) log(`${problem}: the embedded API server is used`);
    await bundle();
  },
  async run(report, { only = '' }) {
    const chosen = Object.entries(parts).filter(([name]) => name.includes(only));
    if (chosen.length === 0) {
      const names = Object.keys(parts).join(', ');
      throw new RangeError(`no part has "${only}" in its name; there are: ${names}`);
    }
    await using cluster = await AgentCluster.open({ nodes, hasStandby: true });
    report.note(`API server: ${cluster.deployed.api.isReal ? 'kube-apiserver' : 'embedded'}`);
    const prober = await Prober.open(cluster.deployed.client);
    const watch = new AddressWatch(cluster.deployed);
    try {
      await watch.start();
      const stage = { cluster, prober, watch, report, load: new EverydayLoad(cluster) };
      for (const [name, measure] of chosen) {
        report.note(`measuring: ${name}`);
        await measure(stage);
      }
    } finally {
      watch.stop();
      prober.close();
    }
  },
};
