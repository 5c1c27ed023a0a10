import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { binaryPath } from '../../lab/control-plane/binaries.ts';
import {
  parseTranscript,
  renderTranscript,
  runCommand,
  type Step,
  type Terminal,
} from './run-transcript.ts';

export interface KubectlServer {
  /** Writes a kubeconfig for the administrator to this path. */
  kubeconfig(path: string): string;
  stop(): Promise<void>;
}

/** Replays a session with the real kubectl. With `UPDATE_TRANSCRIPTS=1` the file is written instead. */
export function kubectlContract(
  name: string,
  file: string,
  start: () => Promise<KubectlServer>,
): void {
  let server: KubectlServer | undefined;
  const home = mkdtempSync(join(tmpdir(), 'kubectl-'));
  const path = join(import.meta.dirname, file);
  const steps = parseTranscript(readFileSync(path, 'utf8'));
  before(async () => {
    server = await start();
  });
  after(async () => {
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  test(`${name}: ${file}`, { timeout: 280_000 }, async () => {
    const kubectl = dirname(binaryPath('kubectl'));
    const terminal: Terminal = {
      cwd: join(import.meta.dirname, 'manifests'),
      env: {
        PATH: `${kubectl}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
        HOME: home,
        KUBECONFIG: server?.kubeconfig(join(home, 'config')) ?? '',
      },
    };
    const seen: Step[] = [];
    for (const step of steps) {
      seen.push({ ...step, output: await runCommand(step.command, terminal) });
    }
    if (process.env['UPDATE_TRANSCRIPTS'] === '1') writeFileSync(path, renderTranscript(seen));
    else assertSame(seen, steps);
  });
}

/** Tells only the commands that printed something else. */
function assertSame(seen: readonly Step[], expected: readonly Step[]): void {
  const isSame = (index: number) =>
    seen[index]?.output.join('\n') === expected[index]?.output.join('\n');
  const different = [...expected.keys()].filter((index) => !isSame(index));
  const pick = (steps: readonly Step[]) =>
    renderTranscript(different.flatMap((index) => steps[index] ?? []));
  assert.equal(pick(seen), pick(expected));
}
