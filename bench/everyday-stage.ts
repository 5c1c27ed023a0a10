import type { Stage } from './agent-latency.ts';
import type { AddressWatch } from './allocator-cluster.ts';
import type { EverydayLoad } from './everyday-load.ts';

/** What the parts of the everyday bench share. */
export interface EverydayStage extends Stage {
  readonly watch: AddressWatch;
  readonly load: EverydayLoad;
}

/** Milliseconds, the lower the better. */
export function reportMs(
  { report }: Pick<Stage, 'report'>,
  name: string,
  value: number,
  target: number,
): void {
  report.row({ name, value, unit: 'ms', target, better: 'lower' });
}
