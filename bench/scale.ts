/** How time, CPU, memory and API requests grow with the number of Services and of nodes. */

import { ensureBinaries } from '../lab/control-plane/binaries.ts';
import { bundle } from '../scripts/bundle.ts';
import type { Bench, BenchOptions, BenchReport } from './bench-report.ts';
import { measureAllocatorBurst, measureScaleBurst } from './scale-burst.ts';
import { measureNodes } from './scale-nodes.ts';
import { measurePresent } from './scale-present.ts';

type Part = (report: BenchReport, options: BenchOptions) => Promise<void>;

const parts: Readonly<Record<string, Part>> = {
  burst: measureScaleBurst,
  allocator: measureAllocatorBurst,
  present: measurePresent,
  nodes: measureNodes,
};

export const scale: Bench = {
  name: 'scale',
  description: `growth with Services and nodes (--only ${Object.keys(parts).join(' | ')})`,
  async prepare(log) {
    const problems = await ensureBinaries(['etcd', 'kube-apiserver'], log);
    for (const problem of problems) log(`${problem}: the embedded API server is used`);
    await bundle();
  },
  async run(report, options) {
    const { only = '' } = options;
    const chosen = Object.entries(parts).filter(([name]) => name.includes(only));
    if (chosen.length === 0) {
      const names = Object.keys(parts).join(', ');
      throw new RangeError(`no part has "${only}" in its name; there are: ${names}`);
    }
    for (const [name, measure] of chosen) {
      report.note(`measuring: ${name}`);
      await measure(report, options);
    }
  },
};
