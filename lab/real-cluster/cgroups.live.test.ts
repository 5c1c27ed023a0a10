import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { missing } from '../missing.ts';
import { machineObstacle } from './set-up.ts';

const skip = missing('unshare', 'setpriv') || (machineObstacle() ?? false);
/** What a user outside of any sandbox would have. */
const { PURELB_SANDBOX: _, PURELB_SANDBOX_PID: __, PURELB_CGROUPS: ___, ...env } = process.env;

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`control groups go with the sandbox that they are for, also when ${signal} ends it`, {
    skip,
  }, async () => {
    const fixture = join(import.meta.dirname, 'lingering-node.fixture.ts');
    const child = spawn(process.execPath, [fixture], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const folders = await eventually(
      () => {
        assert.match(output, /\n$/);
        return output.trim().split(' ');
      },
      { withinMs: 30_000 },
    );
    assert.ok(folders.length > 1 && folders.every((folder) => existsSync(`${folder}/pods/pod`)));
    child.kill(signal);
    await eventually(
      () =>
        assert.deepEqual(
          folders.filter((folder) => existsSync(folder)),
          [],
        ),
      { withinMs: 30_000 },
    );
  });
}
