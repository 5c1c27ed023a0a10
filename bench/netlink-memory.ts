/** Memory of a process that holds the netlink sockets and 1,000 addresses, bundled as in the image. */

import { execFileSync } from 'node:child_process';
import { buildSync } from 'esbuild';
import type { BenchReport } from './bench-report.ts';

/** In bytes. */
export interface Memory {
  readonly resident: number;
  /** Not backed by a file, and so neither shared nor given back. */
  readonly own: number;
}

const root = new URL('..', import.meta.url).pathname;
const bundle = `${root}dist/bench/netlink-holder.mjs`;

export async function measureMemory(report: BenchReport): Promise<void> {
  buildSync({
    entryPoints: [`${root}bench/netlink-holder.ts`],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['koffi'],
  });
  const lean = measureHolder(leanFlags);
  const row = (name: string, value: number, target?: number) =>
    report.row({
      name,
      value: value / 1e6,
      unit: 'MB',
      better: 'lower',
      ...(target !== undefined && { target }),
    });
  row(`memory (RSS) with 1,000 addresses, ${leanFlags.join(' ')}`, lean.resident, 60);
  row('… of it private to the process', lean.own);
  row('… RSS without these flags', measureHolder([]).resident);
}

/** V8's optimising compilers cost 15 MB once they run, and an agent has little for them to do: the kernel does the work. */
const leanFlags = ['--max-semi-space-size=1', '--no-opt', '--no-maglev'];

function measureHolder(flags: readonly string[]): Memory {
  return JSON.parse(execFileSync(process.execPath, [...flags, bundle], { encoding: 'utf8' }));
}
