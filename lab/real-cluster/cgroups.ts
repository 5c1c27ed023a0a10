/** Control groups of nodes (version 1 of the kernel's interface): a tree for each node in every hierarchy. */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';

const needed = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'freezer', 'blkio', 'pids'];
const mountedAt = '/sys/fs/cgroup';
const variable = 'PURELB_CGROUPS';

export interface Hierarchy {
  /** `memory`, or `cpu,cpuacct` where they are one. */
  readonly controllers: string;
  /** The group of this process. */
  readonly folder: string;
}

/** The lines of /proc/self/cgroup are `4:memory:/some/group`. */
export function parseHierarchies(text: string): readonly Hierarchy[] {
  return text.split('\n').flatMap((line) => {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === '' || controllers.startsWith('name=')) return [];
    return [{ controllers, folder: `${mountedAt}/${controllers}${path.replace(/\/$/, '')}` }];
  });
}

function hierarchies(): readonly Hierarchy[] {
  return parseHierarchies(readFileSync('/proc/self/cgroup', 'utf8'));
}

/** Why nodes cannot have control groups here, or undefined if they can. */
export function cgroupObstacle(): string | undefined {
  const found = hierarchies().filter(({ folder }) => existsSync(folder));
  const there = new Set(found.flatMap(({ controllers }) => controllers.split(',')));
  const absent = needed.filter((name) => !there.has(name));
  if (absent.length === 0) return undefined;
  return `needs control groups of version 1, and these controllers are not there: ${absent.join(', ')}`;
}

/** What the groups of this process's clusters start with; given from outside where somebody tidies up after us. */
const ownPrefix = process.env[variable] ?? `purelb-${randomBytes(6).toString('hex')}`;

/** Makes the groups of a node, and returns where they are. */
export function makeCgroups(name: string): readonly Hierarchy[] {
  return hierarchies().map(({ controllers, folder }) => {
    const own = join(folder, `${ownPrefix}-${name}`);
    mkdirSync(own, { recursive: true });
    // A new group has neither processors nor memory, and takes no process.
    if (controllers.split(',').includes('cpuset'))
      for (const file of ['cpuset.cpus', 'cpuset.mems'])
        writeFileSync(join(own, file), readFileSync(join(folder, file)));
    return { controllers, folder: own };
  });
}

/** Once its processes are dead, which may take them a moment. */
export async function removeCgroups(groups: readonly Hierarchy[]): Promise<void> {
  await eventually(
    () => {
      for (const { folder } of groups) removeTree(folder);
    },
    { withinMs: 20_000, everyMs: 50 },
  );
}

function removeTree(folder: string): void {
  if (!existsSync(folder)) return;
  const inside = readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory());
  for (const { name } of inside) removeTree(join(folder, name));
  rmdirSync(folder);
}

/** Waits until nobody holds the other end of its input any more, then until the groups can be removed. */
const tidying = `
cat > /dev/null
for try in $(seq 200); do
  left=$(find "$1" -depth -type d -path "*/$2-*" 2> /dev/null)
  [ -z "$left" ] && exit
  echo "$left" | xargs -d '\\n' rmdir 2> /dev/null
  sleep 0.1
done`;

export interface TidiedCgroups extends Disposable {
  /** For the sandbox that the clusters are in. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Called outside of the sandbox, before it is made: control groups are the one thing that the kernel does not remove
 * with it. They go when this process ends, however it does.
 */
export function tidyCgroups(): TidiedCgroups {
  const prefix = `purelb-${randomBytes(6).toString('hex')}`;
  const child = spawn('sh', ['-c', tidying, 'sh', mountedAt, prefix], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  return { env: { [variable]: prefix }, [Symbol.dispose]: () => child.stdin.end() };
}
