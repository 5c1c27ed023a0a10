/** Holds what an agent's kernel side holds, and prints its resident memory. */

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { NetlinkKernel } from '../src/linux/netlink-kernel.ts';
import { ipOf } from '../src/model/ip.ts';
import type { Memory } from './netlink-memory.ts';

const link = 'kube-lb1';
const kernel = new NetlinkKernel();
await kernel.ensureVirtualLink(link);
const stop = kernel.changes(() => {});
const failures = await kernel.apply(
  Array.from({ length: 1000 }, (_, index) => ({
    kind: 'add' as const,
    address: {
      link,
      ip: ipOf(`198.18.${index >> 8}.${index & 255}`),
      prefixLength: 32,
      validSeconds: 300,
      preferredSeconds: 300,
      noPrefixRoute: true,
      noDad: true,
    },
  })),
);
const held = (await kernel.addresses()).filter(({ isOurs }) => isOurs);
if (failures.length > 0 || held.length !== 1000) throw new Error(`${held.length} addresses held`);
await sleep(500);
const anonymous = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
const memory: Memory = { resident: process.memoryUsage.rss(), own: Number(anonymous) * 1024 };
process.stdout.write(`${JSON.stringify(memory)}\n`);
stop();
await kernel.removeVirtualLink(link);
kernel.close();
