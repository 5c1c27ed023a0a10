import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The TCP sockets of a server's connections: below TLS only they can be reset. */
export class RawSockets {
  readonly #sockets = new Map<string, Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      this.#sockets.set(peer, socket);
      socket.on('close', () => this.#sockets.delete(peer));
    });
  }

  /** With a TCP reset, not a polite end; what was written before gets a chance to leave. */
  reset(socket: Socket | null): void {
    if (socket === null) return;
    const raw = this.#sockets.get(peerOf(socket)) ?? socket;
    setImmediate(() => raw.resetAndDestroy());
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
