import { join } from 'node:path';
import type { Host } from '../network/host.ts';
import { firstNicIndex } from '../network/network-commands.ts';
import type { FloodKind, FloodTarget } from './flood-frames.ts';

export interface FloodOptions {
  readonly kind: FloodKind;
  readonly target: FloodTarget;
  /** At most; what the machine cannot send is not made up for. */
  readonly framesPerSecond: number;
  readonly seconds: number;
}

export interface FloodConfig extends FloodOptions {
  readonly linkIndex: number;
}

export interface FloodReport {
  readonly sent: number;
  readonly ms: number;
}

/** Begins when this resolves. `ended` resolves when all is sent or the time is over. */
export async function startFlood(
  host: Host,
  options: FloodOptions,
): Promise<{ readonly ended: Promise<FloodReport> }> {
  const config: FloodConfig = { ...options, linkIndex: firstNicIndex };
  const program = join(import.meta.dirname, 'flood-program.ts');
  const argv = [process.execPath, program, JSON.stringify(config)];
  const flood = await host.start(argv, { ready: /"ready"/ });
  return { ended: flood.exited.then(() => readReport(flood.lines.map(({ text }) => text))) };
}

function readReport(lines: readonly string[]): FloodReport {
  const last = lines.findLast((line) => line.includes('"sent"'));
  if (last === undefined) throw new Error(`the flood says nothing: ${lines.join(' | ')}`);
  return JSON.parse(last) as FloodReport;
}
