/**
 * An image as one archive: an OCI image layout (image-spec 1.1) that also has the `manifest.json` of older tools, so
 * that `ctr images import`, `podman load`, `skopeo` and `docker load` all take it.
 */

import { hash } from 'node:crypto';
import { type TarEntry, withFolders, writeTar } from './tar.ts';

export interface ImageWish {
  /** References under which it is known where it is imported: `registry.example/purelb:0.1.0`. */
  readonly names: readonly string[];
  /** What is in each layer, the lowest first; the upper ones are what changes. */
  readonly layers: readonly (readonly TarEntry[])[];
  /** As in the OCI image configuration: `Env`, `User`, `Entrypoint` … */
  readonly config: Readonly<Record<string, unknown>>;
}

export interface ImageArchive {
  readonly content: Buffer;
  /** Of its manifest, by which a registry knows it. */
  readonly digest: string;
  readonly layerSizes: readonly number[];
}

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
} as const;

const beginning = '1970-01-01T00:00:00Z';

interface Blob {
  readonly content: Buffer;
  readonly descriptor: { readonly mediaType: string; readonly digest: string; size: number };
}

function blob(mediaType: string, content: Buffer): Blob {
  const digest = `sha256:${hash('sha256', content)}`;
  return { content, descriptor: { mediaType, digest, size: content.length } };
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

export function packImage(wish: ImageWish): ImageArchive {
  return packImages([wish]);
}

/** Several images in one archive, which has what they share only once. Digest and sizes are those of the first. */
export function packImages(wishes: readonly [ImageWish, ...ImageWish[]]): ImageArchive {
  const [first, ...others] = wishes;
  const main = pack(first);
  const images = [main, ...others.map(pack)];
  const blobs = new Map(images.flatMap((image) => image.blobs).map((it) => [pathOf(it), it]));
  const files: readonly (readonly [string, Buffer])[] = [
    ['oci-layout', json({ imageLayoutVersion: '1.0.0' })],
    ['index.json', json(index(images.flatMap((image) => image.named)))],
    ['manifest.json', json(images.map((image) => image.legacy))],
    ...[...blobs].map(([path, { content }]) => [path, content] as const),
  ];
  const entries = files.map(([path, content]) => ({ path, kind: 'file', content }) as const);
  return {
    content: writeTar(withFolders(entries)),
    digest: main.digest,
    layerSizes: main.layerSizes,
  };
}

function pack({ names, layers, config }: ImageWish) {
  const packed = layers.map((entries) => blob(types.layer, writeTar(withFolders(entries))));
  const configured = blob(types.config, json(configuration(packed, config)));
  const manifest = blob(
    types.manifest,
    json({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: configured.descriptor,
      layers: packed.map(({ descriptor }) => descriptor),
    }),
  );
  return {
    blobs: [...packed, configured, manifest],
    named: names.map((name) => withName(manifest, name)),
    legacy: { Config: pathOf(configured), RepoTags: names, Layers: packed.map(pathOf) },
    digest: manifest.descriptor.digest,
    layerSizes: packed.map(({ content }) => content.length),
  };
}

function pathOf({ descriptor }: Blob): string {
  return `blobs/${descriptor.digest.replace(':', '/')}`;
}

function configuration(layers: readonly Blob[], config: ImageWish['config']) {
  return {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    created: beginning,
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ descriptor }) => descriptor.digest) },
    history: layers.map(() => ({ created: beginning })),
  };
}

/** containerd reads the whole name; others take the tag for the name within the layout. */
function withName({ descriptor }: Blob, name: string) {
  const annotations = {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': name.replace(/.*:/, ''),
  };
  return { ...descriptor, annotations };
}

function index(manifests: readonly object[]) {
  return { schemaVersion: 2, mediaType: types.index, manifests };
}
