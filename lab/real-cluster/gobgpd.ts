/** A gobgpd beside each agent, the way docs/guide/bgp.md says it. */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import type { ImageWish } from '../../scripts/image-archive.ts';
import { binaryPath } from '../control-plane/binaries.ts';
import { type Kubectl, rolledOut } from './install.ts';

const root = join(import.meta.dirname, '../..');

/** Under the name that `deploy/bgp` gives it. */
export function gobgpdImage(): ImageWish {
  const text = readFileSync(join(root, 'deploy/bgp/kustomization.yaml'), 'utf8');
  const { images } = parse(text) as { images: { newName: string; newTag: string }[] };
  const content = readFileSync(binaryPath('gobgpd'));
  return {
    names: images.map(({ newName, newTag }) => `${newName}:${newTag}`),
    layers: [[{ path: 'usr/bin/gobgpd', kind: 'file', mode: 0o755, content }]],
    config: { Env: ['PATH=/usr/bin'] },
  };
}

/** Resolves when all agents have been replaced by ones with a gobgpd. */
export async function addGobgpd(kubectl: Kubectl): Promise<void> {
  const folder = mkdtempSync('/run/kustomization-');
  const from = (path: string) => relative(folder, join(root, path));
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [from('deploy')],
    components: [from('deploy/bgp')],
  };
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  await kubectl('apply', '-k', folder);
  await rolledOut(kubectl);
}
