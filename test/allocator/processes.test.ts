import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { openEmbedded } from './embedded-world.ts';
import { processesContract } from './processes.contract.ts';

processesContract(openEmbedded);

const main = new URL('../../src/allocator/main.ts', import.meta.url).pathname;

function run(...args: readonly string[]) {
  const { PATH } = process.env;
  const env = { PATH, HOME: '/nonexistent' };
  return spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', env });
}

test('--help says what there is, and a mistake what to write instead', () => {
  const help = run('--help');
  assert.deepEqual([help.status, help.stderr], [0, '']);
  assert.match(help.stdout, /^Gives addresses to Services/);
  const mistake = run('--lease-duratoin', '3s');
  assert.equal(mistake.status, 2);
  assert.equal(
    mistake.stderr,
    'allocator: unknown flag --lease-duratoin: did you mean --lease-duration?\nRun it with --help for all flags.\n',
  );
});

test('without an API server it ends, and says why', () => {
  const { status, stdout } = run();
  assert.equal(status, 1);
  assert.match(stdout, /"msg":"Start failed".*no API server to talk to: not in a pod/);
});
