/** Adds addresses to a link, a few milliseconds apart, and then prints when it began with each. */

import { setTimeout as sleep } from 'node:timers/promises';
import { NetlinkConnection } from '../src/linux/netlink-connection.ts';
import { NetlinkKernel } from '../src/linux/netlink-kernel.ts';
import { openNetlinkSocket } from '../src/linux/netlink-socket.ts';
import { ipOf } from '../src/model/ip.ts';
import { encodeAddress, RTM_NEWADDR } from '../src/wire/address-message.ts';
import { NLM_F_CREATE, NLM_F_EXCL } from '../src/wire/netlink-message.ts';

const [link, count] = process.argv.slice(2);
const kernel = new NetlinkKernel();
const linkIndex = (await kernel.links()).find(({ name }) => name === link)?.index ?? 0;
kernel.close();

const connection = new NetlinkConnection(openNetlinkSocket({ receiveBufferBytes: 1 << 16 }));
const lines: string[] = [];
for (let index = 0; index < Number(count); index++) {
  const ip = ipOf(`198.19.${index >> 8}.${index & 255}`);
  const body = encodeAddress({ linkIndex, ip, prefixLength: 32, flags: 0, scope: 0 });
  const startedAt = process.hrtime.bigint();
  const [failure] = await connection.execute([
    { type: RTM_NEWADDR, flags: NLM_F_CREATE | NLM_F_EXCL, encodeBody: () => body },
  ]);
  if (failure !== undefined) throw new Error(`add ${ip}: errno ${failure.errno}`);
  lines.push(`${ip} ${startedAt}`);
  await sleep(2);
}
connection.close();
process.stdout.write(`${lines.join('\n')}\n`);
