import { setTimeout as sleep } from 'node:timers/promises';
import { unplug } from './faults/cut.ts';
import { lan } from './network/lab.ts';
import { isInSandbox, runInSandbox } from './sandbox.ts';
import { startResponder } from './traffic/responder.ts';
import { startUdpClient } from './traffic/udp-client.ts';

if (!isInSandbox()) process.exit(await runInSandbox(import.meta.filename, []));

await using lab = await lan({ nodes: [3, 2] }); // two LANs of nodes, a router, a client beyond it
await startResponder(lab.node(1));
await using client = await startUdpClient(lab.client, { to: lab.node(1).ipv6 });
await sleep(300);
const cable = await unplug(lab.node(1).nic());
await sleep(200);
await cable.heal();
await sleep(300);
const { sent, received, lost, outages } = await client.stop();
process.stdout.write(`${JSON.stringify({ sent, received, lost, outages }, null, 2)}\n`);
