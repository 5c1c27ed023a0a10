/** The images of a real cluster: PureLB's, those of the lab's workloads, and what keeps a pod's namespaces. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { nodeImageConfig, planImage } from '../../scripts/image.ts';
import { type ImageWish, packImages } from '../../scripts/image-archive.ts';
import type { TarEntry } from '../../scripts/tar.ts';
import { binaryPath } from '../control-plane/binaries.ts';

export const pauseImage = 'lab.example/pause:1';
const workloads = ['echo', 'web'] as const;

/** All in one archive, with others that are asked for. */
export async function packLabImages(others: readonly ImageWish[] = []): Promise<Buffer> {
  const [purelb, programs] = await Promise.all([planImage(), bundleWorkloads()]);
  const lower = purelb.layers.slice(0, 1);
  const images = workloads.map((name): ImageWish => {
    const config = { ...nodeImageConfig, Entrypoint: ['node', `/lab/${name}.mjs`] };
    return { names: namesOf(name), layers: [...lower, programs], config };
  });
  return packImages([purelb, pause(), ...images, ...others]).content;
}

/** With a tag, so that a kubelet does not ask a registry for something newer; `web` alone needs a pull policy. */
function namesOf(workload: string): readonly string[] {
  return [
    `docker.io/lab/${workload}:1`,
    `docker.io/lab/${workload}:latest`,
    `docker.io/library/${workload}:latest`,
  ];
}

function pause(): ImageWish {
  const content = readFileSync(binaryPath('pause'));
  const layer: readonly TarEntry[] = [{ path: 'pause', kind: 'file', mode: 0o755, content }];
  const config = { Entrypoint: ['/pause'], User: nodeImageConfig.User };
  return { names: [pauseImage], layers: [layer], config };
}

async function bundleWorkloads(): Promise<readonly TarEntry[]> {
  const { outputFiles } = await build({
    entryPoints: workloads.map((name) => ({
      in: join(import.meta.dirname, 'images', `${name}-program.ts`),
      out: name,
    })),
    bundle: true,
    platform: 'node',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    outdir: '/lab',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles.map(({ path, contents }) => {
    return { path: path.slice(1), kind: 'file', content: Buffer.from(contents) };
  });
}
