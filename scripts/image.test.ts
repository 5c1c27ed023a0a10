import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { deployedName, makeImage } from './image.ts';
import { packImage } from './image-archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'purelb-image-test-'));
after(() => rmSync(folder, { recursive: true }));

const readJson = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'));

test('the same sources make the same image, byte by byte; a changed one makes another', async () => {
  const first = await makeImage();
  const second = await makeImage();
  assert.equal(first.digest, second.digest);
  assert.ok(first.content.equals(second.content));
  writeFileSync(join(folder, 'image.tar'), first.content);
  const layer = (text: string) => [
    { path: 'a', kind: 'file', content: Buffer.from(text) } as const,
  ];
  const pack = (text: string) => packImage({ names: ['a:1'], layers: [layer(text)], config: {} });
  assert.equal(pack('x').digest, pack('x').digest);
  assert.notEqual(pack('x').digest, pack('y').digest);
});

test('its manifests name the image of deploy, its layers and a user without rights', () => {
  execFileSync('tar', ['-xf', 'image.tar'], { cwd: folder });
  const [legacy] = readJson('manifest.json');
  const { manifests } = readJson('index.json');
  assert.deepEqual(legacy.RepoTags, [deployedName()]);
  assert.deepEqual(manifests[0].annotations, {
    'io.containerd.image.name': deployedName(),
    'org.opencontainers.image.ref.name': deployedName().split(':')[1],
  });
  const manifest = readJson(`blobs/${manifests[0].digest.replace(':', '/')}`);
  const layers = manifest.layers.map(({ digest }: { digest: string }) => digest);
  const { config, rootfs } = readJson(legacy.Config);
  assert.deepEqual(rootfs.diff_ids, layers);
  assert.equal(config.User, '65534:65534');
  assert.equal(readdirSync(join(folder, 'blobs/sha256')).length, 2 + layers.length);
  for (const digest of readdirSync(join(folder, 'blobs/sha256'))) {
    const sum = execFileSync('sha256sum', [`blobs/sha256/${digest}`], { cwd: folder });
    assert.equal(sum.toString().split(' ')[0], digest);
  }
});

test('it holds Node, the programs, certificates and the licenses of it all, and runs', () => {
  const [legacy] = readJson('manifest.json');
  const root = join(folder, 'root');
  execFileSync('mkdir', [root]);
  for (const layer of legacy.Layers)
    execFileSync('tar', ['-xf', join(folder, layer), '--no-same-owner', '-C', root]);
  assert.deepEqual(readdirSync(join(root, 'purelb')).sort(), [
    'LICENSES.txt',
    'agent.cjs',
    'agent.cjs.map',
    'allocator.cjs',
    'allocator.cjs.map',
    'koffi.node',
    'yaml.cjs',
  ]);
  for (const file of ['etc/passwd', 'etc/ssl/certs/ca-certificates.crt'])
    assert.ok(readFileSync(join(root, file)).length > 0, file);
  assert.ok(readdirSync(join(root, 'usr/share/doc')).includes('nodejs'));
  const node = execFileSync(join(root, 'usr/local/bin/node'), ['--version']);
  assert.equal(node.toString().trim(), process.version);
});
