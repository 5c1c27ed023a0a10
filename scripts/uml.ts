/**
 * Runs the kernel contract on a second, other kernel: Debian's user-mode Linux, which has the `dummy` driver
 * that many small kernels lack. It boots in seconds, sees this machine's files and has no network at all.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled } from './system-packages.ts';
import { noTests, type TestCounts } from './test-run.ts';

export const umlCommands = ['linux.uml', 'insmod'];

const root = new URL('..', import.meta.url).pathname;
const files = ['src/linux/kernel.live.test.ts', 'src/linux/guard-support.live.test.ts'];
/** In an order in which each finds what it depends on. */
const modules = [
  'lib/crc-ccitt',
  'net/ipv6/ipv6',
  'net/llc/llc',
  'net/802/stp',
  'net/bridge/bridge',
  'drivers/net/veth',
  'drivers/net/dummy',
];

export function runUmlTests(scratch: string): TestCounts {
  const absent = umlCommands.filter((command) => !isInstalled(command));
  if (absent.length > 0) return skipped(`no user-mode Linux here: ${absent.join(', ')} missing`);
  if (process.getuid?.() !== 0) return skipped('user-mode Linux is started only by root');
  const counts = join(scratch, 'uml.json');
  const init = join(scratch, 'uml-init');
  writeFileSync(init, initScript(counts), { mode: 0o755 });
  boot(init);
  if (existsSync(counts)) return JSON.parse(readFileSync(counts, 'utf8')) as TestCounts;
  process.stdout.write('user-mode Linux did not get as far as running a test\n');
  return { ...noTests, failed: 1 };
}

function skipped(reason: string): TestCounts {
  return { ...noTests, skipped: { [reason]: files.length } };
}

function boot(init: string): void {
  const kernel = ['mem=768M', 'root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'rw'];
  const consoles = ['con=null', 'con0=null,fd:1', 'quiet'];
  spawnSync('linux.uml', [...kernel, ...consoles, `init=${init}`], {
    stdio: ['ignore', 'inherit', 'ignore'],
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
}

/** The guest is a sandbox by nature: the marker tells the live tests so. */
function initScript(counts: string): string {
  return `#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs run /run && mkdir /run/netns
export PATH="${root}node_modules/.bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root PURELB_SANDBOX=1 PURELB_UML=1
for module in ${modules.join(' ')}; do
  file="/usr/lib/uml/modules/$(uname -r)/kernel/$module.ko"
  if [ -e "$file" ]; then insmod "$file" $([ $module = drivers/net/dummy ] && echo numdummies=0); fi
done
ip link set lo up
cd "${root}"
echo "Linux $(uname -r), user mode"
node scripts/live.ts --counts "${counts}" ${files.join(' ')} 2>&1
echo o > /proc/sysrq-trigger
sleep 10
`;
}
