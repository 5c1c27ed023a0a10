import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type TarEntry, withFolders, writeTar } from './tar.ts';

const entries: readonly TarEntry[] = [
  { path: 'usr/bin/tool', kind: 'file', mode: 0o755, content: Buffer.from('x'.repeat(513)) },
  { path: 'etc/empty', kind: 'file', content: Buffer.alloc(0) },
  { path: 'tmp', kind: 'folder', mode: 0o1777 },
  { path: 'bin', kind: 'link', target: 'usr/bin' },
];

test('tar reads what was written: names, modes, owners, times and contents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'purelb-tar-'));
  try {
    const file = join(folder, 'a.tar');
    writeFileSync(file, writeTar(withFolders(entries)));
    const tar = (...args: readonly string[]) =>
      execFileSync('tar', [...args], { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } });
    assert.deepEqual(tar('-tvf', file).trim().replaceAll(/ +/g, ' ').split('\n'), [
      'lrwxrwxrwx root/root 0 1970-01-01 00:00 bin -> usr/bin',
      'drwxr-xr-x root/root 0 1970-01-01 00:00 etc/',
      '-rw-r--r-- root/root 0 1970-01-01 00:00 etc/empty',
      'drwxrwxrwt root/root 0 1970-01-01 00:00 tmp/',
      'drwxr-xr-x root/root 0 1970-01-01 00:00 usr/',
      'drwxr-xr-x root/root 0 1970-01-01 00:00 usr/bin/',
      '-rwxr-xr-x root/root 513 1970-01-01 00:00 usr/bin/tool',
    ]);
    assert.equal(tar('-xOf', file, 'usr/bin/tool'), 'x'.repeat(513));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the order in which entries come does not matter', () => {
  assert.deepEqual(writeTar(entries.toReversed()), writeTar(entries));
});

test('a name too long for the format is an error, not another name', () => {
  const path = 'x'.repeat(101);
  assert.throws(() => writeTar([{ path, kind: 'file', content: Buffer.alloc(0) }]), RangeError);
});
