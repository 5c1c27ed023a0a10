import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFlags, readLeaseDuration, readLevel, readPort, UsageError } from './command-line.ts';

const flags = {
  namespace: { type: 'string' },
  elect: { type: 'boolean', default: true },
  port: { type: 'string', default: '1' },
} as const;

const refused = (run: () => unknown, message: RegExp) =>
  assert.throws(run, (error) => error instanceof UsageError && message.test(error.message));

test('flags are taken with one dash or two, with or without an equals sign', () => {
  for (const args of [
    ['--namespace', 'a'],
    ['-namespace', 'a'],
    ['-namespace=a'],
    ['--namespace=a'],
  ]) {
    assert.deepEqual({ ...parseFlags(args, flags) }, { namespace: 'a', elect: true, port: '1' });
  }
  assert.equal(parseFlags(['--no-elect'], flags).elect, false);
});

test('a flag that nobody knows is refused, with the one that was meant', () => {
  refused(
    () => parseFlags(['--namespce', 'a'], flags),
    /^unknown flag --namespce: did you mean --namespace\?$/,
  );
  refused(() => parseFlags(['--xyzzy'], flags), /^unknown flag --xyzzy$/);
  refused(() => parseFlags(['--namespace'], flags), /namespace.*argument missing/);
});

test('values that cannot be are refused by what to write instead', () => {
  refused(() => readPort('65536'), /^--port 65536: write a number from 0 to 65535$/);
  refused(() => readLevel('loud', undefined), /^--log-level loud: write one of debug, info/);
  refused(() => readLeaseDuration('1s'), /^--lease-duration: /);
  assert.deepEqual([readPort('7472'), readLeaseDuration('15s')], [7472, 15_000]);
});

test('in the environment what cannot be read counts as absent', () => {
  assert.equal(readLevel(undefined, 'loud'), readLevel(undefined, undefined));
  assert.equal(readLevel(undefined, 'warn'), 'warn');
});
