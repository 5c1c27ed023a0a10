/** What one more Service costs an agent beside many, and how that grows: real agents on kernels and wires in memory. */

import { Simulation } from '../test/simulation/simulation.ts';
import type { Bench, BenchReport } from './bench-report.ts';

const sizes = [10, 100, 1000] as const;
/** With `--long`. */
const largest = 10_000;
const changes = 10;
const settleMs = 3_000;

/** Two nodes share the addresses; measured are both agents, and the API server in memory that they speak to. */
export const agentPass: Bench = {
  name: 'pass',
  description: 'what one more Service costs two agents beside N others',
  run: async (report, { isLong }) => {
    const chosen = isLong ? [...sizes, largest] : sizes;
    for (const size of chosen) await measureSize(size, report);
  },
};

async function measureSize(size: number, report: BenchReport): Promise<void> {
  const stage = new Stage();
  await stage.start();
  for (let number = 0; number < size; number += 1) stage.serve(number);
  await stage.simulation.clock.advance(60_000);
  stage.checkHeld(size);
  const idle = await stage.measure(async () => {});
  const idleMs = idle.cpuMs / changes;
  const cost = await stage.measure(async (index) => stage.serve(size + index));
  stage.checkHeld(size + changes);
  const label = `${size.toLocaleString('en-US')} others`;
  const better = 'lower';
  const passes = cost.passes / changes;
  report.row({
    name: `${label}: CPU of a change`,
    value: cost.cpuMs / changes - idleMs,
    unit: 'ms',
    better,
  });
  report.row({ name: `${label}: passes for a change`, value: passes, unit: '', better });
  report.row({
    name: `${label}: CPU of ${settleMs / 1000} s without a change`,
    value: idleMs,
    unit: 'ms',
    better,
  });
}

class Stage {
  readonly simulation = new Simulation({ seed: 1, nodes: 2, isUnaudited: true });

  async start(): Promise<void> {
    const path = '/apis/purelb.io/v2/namespaces/purelb-system/servicegroups/default';
    const v6pools = [{ subnet: '2001:db8:1::/64', pool: '2001:db8:1::1:0-2001:db8:1::1:ffff' }];
    this.simulation.send('PATCH', path, { spec: { local: { v6pools } } });
    await this.simulation.start();
  }

  /** As the allocator would write it. */
  serve(number: number): void {
    const { simulation } = this;
    const name = `service-${number}`;
    const path = '/api/v1/namespaces/shop/services';
    const spec = { type: 'LoadBalancer', ports: [{ port: 80 }], ipFamilies: ['IPv6'] };
    simulation.send('POST', path, { metadata: { name }, spec });
    const annotations = {
      'purelb.io/allocated-by': 'PureLB',
      'purelb.io/allocated-from': 'default',
      'purelb.io/pool-type': 'local',
    };
    const ingress = [{ ip: `2001:db8:1::1:${number.toString(16)}` }];
    const status = { loadBalancer: { ingress } };
    simulation.send('PATCH', `${path}/${name}/status`, { metadata: { annotations }, status });
  }

  /** Each Service is on exactly one node. */
  checkHeld(count: number): void {
    const held = this.simulation.nodes.map(({ agent }) => agent?.last?.placing.wanted.length ?? 0);
    const sum = held.reduce((total, each) => total + each, 0);
    if (sum !== count) throw new Error(`${sum} addresses are held of ${count}`);
  }

  get passes(): number {
    const numbers = this.simulation.nodes.map(({ agent }) => agent?.last?.number ?? 0);
    return numbers.reduce((total, each) => total + each, 0);
  }

  async measure(change: (index: number) => Promise<void>) {
    const passes = this.passes;
    const before = process.cpuUsage();
    for (let index = 0; index < changes; index += 1) {
      await change(index);
      await this.simulation.clock.advance(settleMs);
    }
    const { user, system } = process.cpuUsage(before);
    return { cpuMs: (user + system) / 1000, passes: this.passes - passes };
  }
}
