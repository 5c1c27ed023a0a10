import { run } from '../process/run.ts';
import type { Host } from './host.ts';
import { creationBatch, hostScript, segmentScript } from './network-commands.ts';
import type { Segment } from './segment.ts';

/** Makes segments and hosts in the kernel: all at once, since starting programs is what takes time. */
export async function raise(segments: readonly Segment[], hosts: readonly Host[]): Promise<void> {
  await run(['ip', '-batch', '-'], { input: creationBatch(segments, hosts) });
  await Promise.all([
    ...segments.map(({ namespace }) => runScript(namespace, segmentScript)),
    ...hosts.map(({ namespace, plan }) => runScript(namespace, hostScript(plan))),
  ]);
  const nics = hosts.flatMap((host) => host.nics);
  const touched = new Set([...segments, ...nics.map(({ segment }) => segment)]);
  await Promise.all(
    [...touched].map(async (segment) => {
      const ports = nics.filter((nic) => nic.segment === segment).map(({ port }) => port);
      await segment.connect(ports);
    }),
  );
}

async function runScript(namespace: string, script: string): Promise<void> {
  await run(['ip', 'netns', 'exec', namespace, 'sh', '-e'], { input: script });
}
