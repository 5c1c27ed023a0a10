import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { binaryPath, missingBinaries } from '../control-plane/binaries.ts';
import { eventually } from '../eventually.ts';
import { missing } from '../missing.ts';
import { HostProcess } from '../process/host-process.ts';
import { run } from '../process/run.ts';
import { patience } from './cluster.fixture.ts';
import { openWayOut } from './way-out.ts';

const skip = missing('ip', 'nft', 'setpriv', 'unshare', 'nsenter') || missingBinaries('kubectl');

const fixture = join(import.meta.dirname, 'kept-cluster.fixture.ts');

interface Kept {
  readonly process: HostProcess;
  readonly kubeconfig: string;
}

async function keepCluster(name: string): Promise<Kept> {
  // As if from a shell: not in the sandbox of the tests.
  const env = { PURELB_SANDBOX: '' };
  const argv = [process.execPath, fixture, name];
  const options = { ready: /^kubeconfig /, readyWithinMs: 120_000, env };
  const started = await HostProcess.start([], argv, options);
  const line = await started.line(/^kubeconfig /);
  return { process: started, kubeconfig: line.split(' ')[1] ?? '' };
}

async function kubectl({ kubeconfig }: Kept, ...args: readonly string[]): Promise<string> {
  const argv = [binaryPath('kubectl'), '--kubeconfig', kubeconfig, ...args];
  return (await run(argv)).stdout;
}

/** Processes that were started for this cluster, wherever they are. */
function processesOf({ kubeconfig }: Kept): readonly string[] {
  const folder = dirname(kubeconfig);
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environOf(pid).includes(folder));
}

function environOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

async function podNames(kept: Kept): Promise<readonly string[]> {
  const text = await kubectl(kept, 'get', 'pods', '--output', 'name');
  return text
    .trim()
    .split('\n')
    .map((line) => line.replace(/^pod\/|-.*$/g, ''));
}

test('two clusters side by side are each reached by kubectl from outside, and end without a trace', {
  skip,
}, async () => {
  const [left, right] = await Promise.all([keepCluster('left'), keepCluster('right')]);
  await using _left = left.process;
  await using _right = right.process;
  await eventually(async () => {
    assert.deepEqual(await podNames(left), ['left', 'left']);
    assert.deepEqual(await podNames(right), ['right', 'right']);
  }, patience);
  await eventually(async () => {
    const args = ['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=10s'];
    assert.match(await kubectl(left, ...args), /node1 condition met\n.*node2 condition met/);
  }, patience);

  // The one who made the sandbox is killed and can do nothing.
  assert.ok(processesOf(left).length > 5);
  process.kill(left.process.pid, 'SIGKILL');
  await left.process.exited;
  await eventually(() => assert.deepEqual(processesOf(left), []), patience);
  await assert.rejects(() => kubectl(left, 'get', 'nodes'), /refused/);
  assert.deepEqual(await podNames(right), ['right', 'right']);
  // What it could not remove is removed by the next one.
  assert.equal(existsSync(left.kubeconfig), true);
  using _next = await openWayOut();
  assert.deepEqual(
    [left, right].map(({ kubeconfig }) => existsSync(kubeconfig)),
    [false, true],
  );

  process.kill(right.process.pid, 'SIGTERM');
  assert.deepEqual(await right.process.exited, { code: 0, signal: null });
  assert.ok(right.process.lines.some(({ text }) => text === 'stopped'));
  assert.deepEqual(processesOf(right), []);
  assert.equal(existsSync(right.kubeconfig), false);
});
