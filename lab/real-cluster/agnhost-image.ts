/** The image that the pods of Kubernetes' own tests run, put together from what was built and from this machine. */

import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { librariesOf } from '../../scripts/image.ts';
import type { ImageWish } from '../../scripts/image-archive.ts';
import type { TarEntry } from '../../scripts/tar.ts';
import { binaryPath } from '../control-plane/binaries.ts';

/** What the tests of load balancers call in pods, beside agnhost itself. */
export const agnhostCommands = ['sh', 'cat', 'curl', 'nc', 'wget'] as const;

/** As `test/utils/image/manifest.go` of the Kubernetes release in `tools/e2e` names it. */
const name = 'registry.k8s.io/e2e-test-images/agnhost:2.63.0';

export function agnhostImage(): ImageWish {
  const paths = agnhostCommands.map((command) => [command, realpathSync(pathOf(command))] as const);
  const libraries = new Set(paths.flatMap(([, path]) => librariesOf(path)));
  const layer: readonly TarEntry[] = [
    file('agnhost', binaryPath('agnhost')),
    ...paths.map(([command, path]) => file(`bin/${command}`, path)),
    ...[...libraries].map((path) => file(path.slice(1), path)),
    text('etc/passwd', 'root:x:0:0:root:/:/bin/sh\n'),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    // The tests try again themselves, and count on an answer within the time that they give to one attempt.
    text('etc/wgetrc', 'tries = 1\n'),
    { path: 'tmp', kind: 'folder', mode: 0o1777 },
    { path: 'uploads', kind: 'folder' },
  ];
  const config = { Entrypoint: ['/agnhost'], Cmd: ['pause'], Env: ['PATH=/usr/bin:/bin'] };
  return { names: [name], layers: [layer], config };
}

function pathOf(command: string): string {
  return execFileSync('sh', ['-c', 'command -v "$1"', 'sh', command], { encoding: 'utf8' }).trim();
}

function file(path: string, from: string): TarEntry {
  return { path, kind: 'file', mode: 0o755, content: readFileSync(from) };
}

function text(path: string, content: string): TarEntry {
  return { path, kind: 'file', content: Buffer.from(content) };
}
