/** At most so many connections: a new one ends the oldest, so that idle ones never keep a probe or a scraper out. */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export function limitConnections(server: Server, most: number): void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= most) return;
    const [oldest] = open;
    if (oldest === undefined) return;
    open.delete(oldest);
    oldest.destroy();
  });
}
