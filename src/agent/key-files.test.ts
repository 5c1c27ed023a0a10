import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { KeyFiles } from './key-files.ts';
import { KeyRing, makeKey } from './key-ring.ts';

const secret = (fill: number) => new Uint8Array(32).fill(fill);
const name = (fill: number) => makeKey(secret(fill)).name;

async function open(body: (world: World) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'peer-key-'));
  const lines: string[] = [];
  const clock = new ManualClock();
  const ring = new KeyRing();
  const log = Log.create({ level: 'info', sink: (line) => lines.push(line), now: () => 0 });
  const changes = { count: 0 };
  const onChange = () => {
    changes.count += 1;
  };
  const files = new KeyFiles({ directory, ring, clock, log, onChange });
  /** As the kubelet does it: a new folder, and a link that is replaced at once. */
  const mount = async (version: string, keys: Readonly<Record<string, Uint8Array>>) => {
    await mkdir(join(directory, version));
    for (const [file, bytes] of Object.entries(keys)) {
      await writeFile(join(directory, version, file), bytes);
      await symlink(join('..data', file), join(directory, file)).catch(() => {});
    }
    await symlink(version, join(directory, '..data_tmp'));
    await rename(join(directory, '..data_tmp'), join(directory, '..data'));
  };
  const again = async () => {
    await clock.advance(10_000);
    // Files are read by the real system.
    for (let turn = 0; turn < 20; turn++) {
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
    }
  };
  try {
    await body({ directory, lines, ring, files, changes, mount, again });
  } finally {
    files.stop();
    await rm(directory, { recursive: true });
  }
}

interface World {
  readonly directory: string;
  readonly lines: readonly string[];
  readonly ring: KeyRing;
  readonly files: KeyFiles;
  readonly changes: { readonly count: number };
  readonly mount: (version: string, keys: Readonly<Record<string, Uint8Array>>) => Promise<void>;
  readonly again: () => Promise<void>;
}

test('without a key the agent says so, and takes the one that comes later', () =>
  open(async ({ lines, ring, files, changes, mount, again }) => {
    await files.start();
    assert.match(lines.join(''), /Peers are not authenticated yet/);
    await mount('1', { key: secret(1) });
    await again();
    assert.deepEqual([ring.names, changes.count], [[name(1)], 1]);
    await again();
    assert.equal(changes.count, 1);
    assert.match(lines.at(-1) ?? '', /"Peers are authenticated"/);
  }));

test('a key that is still on its way is no reason for a warning, and one that never comes is one', () =>
  open(async ({ lines, files, again }) => {
    const warnings = () => lines.filter((line) => line.includes('"warn"'));
    await files.start();
    for (let turn = 0; turn < 11; turn++) await again();
    assert.deepEqual(warnings(), []);
    for (let turn = 0; turn < 3; turn++) await again();
    assert.equal(warnings().length, 1);
    assert.match(warnings().join(''), /Peers are not authenticated.*purelb-peer-key/);
  }));

test('a key that is replaced is read without a restart, and none appears in the log', () =>
  open(async ({ lines, ring, files, mount, again }) => {
    await mount('1', { key: secret(65) });
    await files.start();
    assert.deepEqual(ring.names, [name(65)]);
    await mount('2', { key: secret(66), previous: secret(65) });
    await again();
    assert.deepEqual(ring.names, [name(66), name(65)]);
    const text = lines.join('');
    assert.match(text, /Peers are authenticated/);
    assert.ok(!text.includes('AAAA') && !text.includes('BBBB') && !text.includes('QUFB'));
  }));

test('what is no key is named once, with its length and not its content', () =>
  open(async ({ lines, ring, files, mount, again }) => {
    await mount('1', { key: Buffer.from('A'.repeat(44)) });
    await files.start();
    await again();
    assert.deepEqual(ring.names, []);
    const complaints = lines.filter((line) => line.includes('Peer key cannot be used'));
    assert.equal(complaints.length, 1);
    assert.match(complaints.join(''), /key has 44 bytes, and a key has 32/);
    assert.ok(!lines.join('').includes('AAAA'));
  }));
