/** Runs on a node: answers every datagram and every line with what it got and its own name. */

import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { answerTo } from './echo-packet.ts';
import { print } from './measurement-program.ts';
import type { ResponderConfig } from './responder.ts';

const { port, id, tellsPeer } = JSON.parse(process.argv[2] ?? '{}') as ResponderConfig;

/** IPv4 comes in as ::ffff:192.0.2.1 (RFC 4291, 2.5.5.2). */
function nameFor(peer = ''): string {
  return tellsPeer ? `${id} for ${peer.replace(/^::ffff:/, '')}` : id;
}

// `::` takes IPv4 as well, unless told otherwise.
const udp = createSocket({ type: 'udp6' });
udp.on('message', (request, { address, port: from }) => {
  // A refused answer is a lost packet, which is for the client to notice.
  udp.send(answerTo(request, nameFor(address)), from, address, () => {});
});
await new Promise<void>((resolve) => udp.bind(port, '::', resolve));
// On a busy machine it may stand still for longer than the usual buffer lasts, which nobody is to take for an outage.
udp.setRecvBufferSize(1 << 20);

const tcp = createServer({ noDelay: true }, (socket) => {
  const name = nameFor(socket.remoteAddress);
  const lines = createInterface({ input: socket });
  lines.on('line', (line) => {
    if (socket.writable) socket.write(`${line} ${name}\n`);
  });
  // A client that resets its connection is no reason to end; readline passes the socket's errors on.
  for (const source of [socket, lines]) source.on('error', () => socket.destroy());
});
await new Promise<void>((resolve) => tcp.listen(port, '::', resolve));
print({ ready: true });
