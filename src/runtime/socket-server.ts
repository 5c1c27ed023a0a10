/** The same server on a unix socket that only this user can open. */

import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { closeServer, type HttpServerOptions, ListenError, makeServer } from './http-server.ts';

export interface SocketServerOptions extends HttpServerOptions {
  readonly path: string;
}

export interface SocketServer {
  close(): Promise<void>;
}

/** Takes the place of a socket whose process is gone; one that is served is left alone. */
export async function startSocketServer(options: SocketServerOptions): Promise<SocketServer> {
  const { path, onError } = options;
  const server = makeServer(options);
  try {
    // A folder that exists may be /run itself: its mode is not ours to change, and the socket's own mode is enough.
    mkdirSync(folderOf(path), { recursive: true, mode: 0o700 });
    await removeStale(path);
    await listenOwnerOnly(server, path);
  } catch (error) {
    throw new ListenError(path, error as NodeJS.ErrnoException, pathAdvice);
  }
  server.on('error', (error) => onError(path, error));
  return { close: () => closeServer(server, options) };
}

const pathAdvice: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write to its folder',
  EROFS: 'its folder is on a read-only file system; mount an emptyDir there',
  EINVAL: 'the path is too long; a socket has at most 107 bytes',
};

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1) || '.';
}

async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error('there is a file of this name that is no socket');
  if (await isServed(path)) throw new Error('another process listens there; stop it first');
  rmSync(path, { force: true });
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** `listen` binds before it returns, so that the socket has its mode from the start. */
function listenOwnerOnly(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const before = process.umask(0o177);
    try {
      server.listen({ path }, () => {
        server.off('error', reject);
        resolve();
      });
    } finally {
      process.umask(before);
    }
  });
}
