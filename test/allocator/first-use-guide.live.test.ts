import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { binaryPath, missingBinaries } from '../../lab/control-plane/binaries.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { openReal } from './real-world.ts';
import { startHere } from './test-allocator.ts';
import { isLook, maskTranscript, readTranscript, type Step } from './transcript.ts';

const skip = missing('ip', 'bash') || missingBinaries('etcd', 'kube-apiserver', 'kubectl');
const open = skip === false ? openReal() : undefined;
const page = readFileSync(new URL('../../docs/guide/first-use.md', import.meta.url), 'utf8');

/** Not awaited by a blocking call: the allocator runs in this very process. */
function print({ command }: Step, env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve) => {
    execFile('bash', ['-c', `exec 2>&1\n${command}`], { env }, (_, stdout) => resolve(stdout));
  });
}

test('the guide to first use shows what kubectl prints', { skip }, async () => {
  const opened = await open?.();
  assert.ok(opened !== undefined);
  const { world, controlPlane, close } = opened;
  const allocator = await startHere(world);
  const env = {
    KUBECONFIG: controlPlane.kubeconfig(join(controlPlane.dir, 'guide.kubeconfig')),
    PATH: `${dirname(binaryPath('kubectl'))}:${process.env['PATH'] ?? ''}`,
    HOME: controlPlane.dir,
  };
  const steps = readTranscript(page);
  assert.ok(steps.length > 20, 'the page has lost its commands');
  try {
    for (const step of steps) {
      const check = async () => {
        const printed = maskTranscript((await print(step, env)).trimEnd());
        assert.equal(printed, maskTranscript(step.output), step.command);
      };
      if (isLook(step)) await eventually(check, { withinMs: 20_000, everyMs: 200 });
      else await check();
    }
  } finally {
    await allocator.stop();
    await close();
  }
});
