/**
 * `npm run image`: everything that a pod needs as one archive, `dist/purelb-image.tar`, made without any container
 * engine: Node with the libraries that it loads, certificates, and what `npm run bundle` writes.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { parse } from 'yaml';
import { bundle, bundleFolder } from './bundle.ts';
import { type ImageArchive, type ImageWish, packImage } from './image-archive.ts';
import type { TarEntry } from './tar.ts';

const root = new URL('..', import.meta.url).pathname;

export const imageFile = join(bundleFolder, 'purelb-image.tar');

/** Of an image with Node that starts what its command names; by a user without any rights unless told otherwise. */
export const nodeImageConfig = {
  User: '65534:65534',
  Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production'],
  Entrypoint: ['node'],
} as const;

/** The same sources on the same system make the same bytes, whenever and wherever they are put together. */
export async function makeImage(
  names: readonly string[] = [deployedName()],
): Promise<ImageArchive> {
  return packImage(await planImage(names));
}

export async function planImage(names: readonly string[] = [deployedName()]): Promise<ImageWish> {
  // Always there: the maps of the bundles say where the sources are, seen from them.
  const files = await bundle(bundleFolder);
  const programs = files.map((path) => copied(path, `purelb/${basename(path)}`));
  return {
    names,
    layers: [nodeLayer([join(bundleFolder, 'koffi.node')]), programs],
    config: { ...nodeImageConfig, WorkingDir: '/purelb', Labels: labels() },
  };
}

/** The image that `deploy/kustomization.yaml` names, so that what was built is what is started. */
export function deployedName(): string {
  const text = readFileSync(join(root, 'deploy/kustomization.yaml'), 'utf8');
  const { images } = parse(text) as { images: { newName: string; newTag: string }[] };
  const [image] = images;
  if (image === undefined) throw new Error('deploy/kustomization.yaml names no image');
  return `${image.newName}:${image.newTag}`;
}

/** Node, and what it and the native modules given load. */
export function nodeLayer(nativeModules: readonly string[] = []): readonly TarEntry[] {
  const node = nodeBinary();
  const libraries = [...new Set([node, ...nativeModules].flatMap(librariesOf))];
  return [
    copied(node, 'usr/local/bin/node', 0o755),
    ...libraries.map((path) => copied(path, path.slice(1), 0o755)),
    written('etc/passwd', 'root:x:0:0:root:/:/\nnobody:x:65534:65534:nobody:/:/\n'),
    written('etc/group', 'root:x:0:\nnogroup:x:65534:\n'),
    written('etc/nsswitch.conf', 'hosts: files dns\n'),
    // Those that Node trusts by itself, for all that look for them in a file.
    written('etc/ssl/certs/ca-certificates.crt', `${rootCertificates.join('\n')}\n`),
    { path: 'tmp', kind: 'folder', mode: 0o1777 },
    ...licenses(),
  ];
}

/** The one that `npm ci` brought, else the one that runs this. */
function nodeBinary(): string {
  const brought = join(root, `node_modules/node-linux-${process.arch}/bin/node`);
  return existsSync(brought) ? brought : process.execPath;
}

/** `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)`; the loader itself comes without an arrow. */
export function librariesOf(binary: string): readonly string[] {
  const lines = execFileSync('ldd', [binary], { encoding: 'utf8' }).split('\n');
  const missing = lines.find((line) => line.includes('not found'));
  if (missing !== undefined) throw new Error(`${binary} cannot be loaded here: ${missing.trim()}`);
  return lines.flatMap((line) => /(?:^|\s)(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}

const libraryPackages = ['libc6', 'libgcc-s1', 'libstdc++6'];

/** Of Node, and of the system's libraries where the system keeps them. */
function licenses(): readonly TarEntry[] {
  const own = join(root, `node_modules/node-linux-${process.arch}/LICENSE`);
  const found = [
    [own, 'usr/share/doc/nodejs/LICENSE'],
    ...libraryPackages.map((name) => {
      const path = `usr/share/doc/${name}/copyright`;
      return [`/${path}`, path];
    }),
  ] as const;
  return found.flatMap(([from = '', to = '']) => (existsSync(from) ? [copied(from, to)] : []));
}

function labels(): Readonly<Record<string, string>> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return {
    'org.opencontainers.image.title': 'PureLB',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'Apache-2.0',
  };
}

function copied(from: string, path: string, mode = 0o644): TarEntry {
  return { path, kind: 'file', mode, content: readFileSync(from) };
}

function written(path: string, text: string): TarEntry {
  return { path, kind: 'file', content: Buffer.from(text) };
}

if (process.argv[1] === import.meta.filename) {
  const named = process.argv.slice(2);
  const names = named.length > 0 ? named : [deployedName()];
  const { content, digest, layerSizes } = await makeImage(names);
  writeFileSync(imageFile, content);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  process.stdout.write(
    `${imageFile}\n${names.join(', ')}\n${digest}\n` +
      `${megabytes(content.length)}; layers of ${layerSizes.map(megabytes).join(' and ')}\n`,
  );
}
