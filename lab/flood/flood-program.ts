/** Runs on a host of the LAN: sends frames with ever new MACs, as fast as it is told, for as long as it is told. */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import * as libc from '../../src/linux/libc.ts';
import { packetAddress } from '../../src/linux/packet-address.ts';
import { print } from '../traffic/measurement-program.ts';
import type { FloodConfig } from './flood.ts';
import { encodeFlood } from './flood-frames.ts';

const differentFrames = 20_000;
const batch = 200;

const config = JSON.parse(process.argv[2] ?? '{}') as FloodConfig;
const { kind, target, framesPerSecond, seconds, linkIndex } = config;
const frames = encodeFlood(kind, target, differentFrames);
const address = packetAddress(linkIndex, 0);
const fd = libc.openSocket(libc.AF_PACKET, libc.SOCK_RAW, 0);
if (fd < 0) throw new Error(`no packet socket: errno ${-fd}`);
print({ ready: true });

const startedAt = performance.now();
const mostMs = seconds * 1000;
let sent = 0;
for (let at = 0; at < mostMs; at = performance.now() - startedAt) {
  const due = Math.floor((at * framesPerSecond) / 1000);
  if (sent >= due) await sleep(1);
  else await nextTurn();
  // Frames that the link has no room for are lost, as on any Ethernet.
  for (let count = 0; count < batch && sent < due; count += 1) {
    libc.sendTo(fd, frames[sent % frames.length] ?? new Uint8Array(60), address);
    sent += 1;
  }
}
print({ sent, ms: performance.now() - startedAt });
libc.close(fd);
