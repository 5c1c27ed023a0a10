/** Remote addresses at the router: how soon it knows, what restarts and cut links cost a client, and memory. */

import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBinaries, missingBinaries } from '../lab/control-plane/binaries.ts';
import { routerKinds, routerObstacle, routerTitles } from '../lab/router/start-router.ts';
import { bundle } from '../scripts/bundle.ts';
import { installMissing } from '../scripts/system-packages.ts';
import { deployedProgram } from '../test/deployed-program.ts';
import { installNamespace } from '../test/scenarios/agent-world.ts';
import type { Bench } from './bench-report.ts';
import { measureBgpLatency } from './bgp-latency.ts';
import { measureBgpCuts, measureBgpRestarts } from './bgp-outage.ts';
import { type BgpStage, onBgpStage } from './bgp-stage.ts';
import { readMemory } from './process-cost.ts';

const settleMs = 10_000;

export const bgp: Bench = {
  name: 'bgp',
  description: 'address on kube-lb0 → route in FRR and BIRD, restarts, a cut link, memory (--only)',
  async prepare(log) {
    installMissing(['vtysh', 'bird'], log);
    for (const problem of await ensureBinaries(['gobgpd'], log)) log(problem);
    await bundle();
  },
  async run(report, { only }) {
    const kinds = routerKinds.filter((kind) => only === undefined || kind.includes(only));
    for (const kind of kinds) {
      const obstacle = missingBinaries('gobgpd') || routerObstacle(kind);
      if (obstacle !== false) {
        report.note(`${routerTitles[kind]} is left out: ${obstacle}`);
        continue;
      }
      await onBgpStage(kind, report, async (stage) => {
        await measureBgpLatency(stage);
        await measureBgpRestarts(stage);
        await measureBgpCuts(stage);
        if (kind === kinds[0]) await measureMemory(stage);
      });
    }
    for (const line of reference) report.note(line);
  },
};

/** GoBGP 4.8 driven by hand on the same kind of machine, without an agent before it. */
const reference = [
  'for comparison, gobgpd alone, AddPath by a small client → the router:',
  '  route p50: FRR 62 ms, BIRD 1.0 ms; withdrawal p50: FRR 63 ms, BIRD 1.0 ms',
  '  1,000 in one message: FRR 148 ms, BIRD 46 ms; withdrawn: FRR 181 ms, BIRD 41 ms',
  '  killed and back with graceful restart: 0 lost; cut off, BFD 100×3: FRR 306–326 ms, BIRD 306–311 ms',
  '  gobgpd: 39 MB with a peer and a few paths, 51 MB after a thousand came and went',
];

/** The agent as it is shipped, with BGP and without, and the gobgpd that has seen all of the above. */
async function measureMemory({ bgp: world, report }: BgpStage): Promise<void> {
  const row = (name: string, pid: number) =>
    report.row({ name: `RSS: ${name}`, value: readMemory(pid), unit: 'MB', better: 'lower' });
  row('gobgpd, after all of this', world.daemon(1).process.pid);
  const host = world.world.lab.node(1);
  const facts = { namespace: installNamespace, uid: 'bench', node: host.name, hostIp: host.ipv4 };
  const { argv, env } = deployedProgram('agent', facts);
  const told = [
    ...['--kubeconfig', await world.world.agentKubeconfig(host.name), '--host', '127.0.0.1'],
    ...['--state-socket', world.world.stateSocket(1)],
  ];
  const endpoint = ['--gobgp-endpoint', world.daemon(1).endpoint];
  await world.world.agent(1).stop();
  for (const [name, more] of Object.entries({ 'without BGP': [], 'with BGP': endpoint })) {
    const all = [process.execPath, ...argv, ...told, ...more];
    const agent = await host.start(all, { env, ready: /"msg":"Started"/, readyWithinMs: 20_000 });
    await sleep(settleMs);
    row(`agent ${name}`, agent.pid);
    await agent.stop();
  }
}
