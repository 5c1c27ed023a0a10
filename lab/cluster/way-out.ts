/**
 * The one way out of the sandbox: a listening socket of the world outside, handed to the program inside, through
 * which a kubectl of the user's own shell reaches the API server. It ends with the last process of the sandbox.
 */

import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import koffi from 'koffi';
import type { SandboxOptions } from '../sandbox.ts';

const variable = 'PURELB_WAY_OUT';
const folderName = /^purelb-(\d+)-(\d+)-/;

export interface WayOut {
  /** On the loopback of the world outside. */
  readonly port: number;
  /** For files that both sides see, such as the kubeconfig. */
  readonly folder: string;
}

export interface OpenWayOut extends WayOut, Disposable {
  /** What the sandbox is to be started with. */
  readonly sandbox: Required<SandboxOptions>;
}

/** Called outside, before the sandbox is made; disposed of when that has ended. */
export async function openWayOut(): Promise<OpenWayOut> {
  removeAbandoned();
  const folder = mkdtempSync(join(tmpdir(), `purelb-${processSpace()}-${process.pid}-`));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    folder,
    sandbox: {
      env: { [variable]: JSON.stringify({ port, folder } satisfies WayOut) },
      descriptors: [descriptorOf(server)],
      // Two that listen on one socket take connections from each other, and here nobody would answer them.
      onStarted: () => server.close(),
    },
    [Symbol.dispose]: () => {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Called inside: undefined where the sandbox was made without one. */
export function findWayOut(): WayOut | undefined {
  const text = process.env[variable];
  return text === undefined ? undefined : (JSON.parse(text) as WayOut);
}

const givenDescriptor = 3;
const F_SETFD = 2;
const FD_CLOEXEC = 1;

/** Makes a server inside listen to the world outside. Programs started from here on do not inherit the socket. */
export function listenOutside(server: Server): void {
  const fcntl = koffi.load(null).func('int fcntl(int, int, int)');
  if (fcntl(givenDescriptor, F_SETFD, FD_CLOEXEC) !== 0)
    throw new Error(`there is no descriptor ${givenDescriptor}: errno ${koffi.errno()}`);
  server.listen({ fd: givenDescriptor });
}

/** Node has it, but does not tell officially. */
function descriptorOf(server: Server): number {
  const { fd } = (server as unknown as { readonly _handle: { readonly fd: number } })._handle;
  return fd;
}

/** Of those who were killed and could not tidy up. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, space, pid] = folderName.exec(name) ?? [];
    if (space === processSpace() && !isAlive(Number(pid)))
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

/** Process ids mean something only within their namespace, of which others may be at work in the same folder. */
function processSpace(): string {
  return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
