/** A small read-only HTTP server for scrapers, probes and tools. */

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from './clock.ts';
import { limitConnections } from './connection-limit.ts';
import { type HttpReply, type HttpRoutes, reply } from './http-routes.ts';
import { sendReply } from './send-reply.ts';

export interface HttpLimits {
  /** More connections than this end the oldest. */
  readonly connections: number;
  /** For the head of a request. */
  readonly headersMs: number;
  /** For a whole request. */
  readonly requestMs: number;
  /** Longest time in which nothing moves over a connection: an idle one, or a client that does not read. */
  readonly idleMs: number;
  /** For a whole answer. */
  readonly wholeReplyMs: number;
}

export interface HttpServerOptions {
  readonly routes: HttpRoutes;
  readonly clock: Clock;
  readonly onError: (where: string, error: unknown) => void;
  readonly limits?: Partial<HttpLimits>;
  /** How long `close` lets requests in progress go on. */
  readonly closeGraceMs?: number;
}

export interface HttpPort {
  /** Address to listen on, IPv4 or IPv6; all of them if empty. */
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

export interface HttpServer {
  /** The real one, also where 0 was asked for. */
  readonly port: number;
  close(): Promise<void>;
}

export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: string;

  constructor(where: string, cause: NodeJS.ErrnoException, advice = portAdvice) {
    const code = cause.code ?? 'UNKNOWN';
    super(`cannot listen on ${where}: ${advice[code] ?? cause.message}`, { cause });
    this.code = code;
  }
}

const portAdvice: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses this port; stop it or choose another port',
  EADDRNOTAVAIL: 'no link of this machine has this address',
  EACCES: 'this user may not use this port; choose one above 1023',
};

const usualLimits: HttpLimits = {
  connections: 64,
  headersMs: 5_000,
  requestMs: 10_000,
  idleMs: 10_000,
  wholeReplyMs: 30_000,
};

export async function startHttpServer(options: HttpServerOptions & HttpPort): Promise<HttpServer> {
  const server = makeServer(options);
  const port = await listen(server, options);
  server.on('error', (error) => options.onError(`port ${port}`, error));
  return { port, close: () => closeServer(server, options) };
}

/** With all its limits, not listening yet. */
export function makeServer(options: HttpServerOptions): Server {
  const limits = { ...usualLimits, ...options.limits };
  const server: Server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: 30_000,
      connectionsCheckingInterval: Math.min(limits.headersMs, 5_000),
      maxHeaderSize: 8_192,
    },
    oneAtATime((request, response) => serve(server, request, response, { ...options, limits })),
  );
  server.timeout = limits.idleMs;
  limitConnections(server, limits.connections);
  return server;
}

/** Requests sent ahead over one connection would all be answered into memory before the first is read. */
function oneAtATime(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): RequestListener {
  const busy = new WeakSet<Socket>();
  return (request, response) => {
    const { socket } = request;
    if (busy.has(socket)) {
      socket.destroy();
      return;
    }
    busy.add(socket);
    response.once('close', () => busy.delete(socket));
    void handle(request, response);
  };
}

interface Serving extends HttpServerOptions {
  readonly limits: HttpLimits;
}

async function serve(
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
  { routes, clock, onError, limits }: Serving,
): Promise<void> {
  try {
    const found = await answer(request, response, routes).catch((error: unknown) => {
      onError(request.url ?? '', error);
      return reply(500, 'this failed here; the log says why\n');
    });
    // A refused body is not waited for, and a server that closes keeps nobody.
    const isLast = found.status === 405 || !server.listening;
    await sendReply(response, found, { clock, isLast, wholeReplyMs: limits.wholeReplyMs });
  } catch (error) {
    // The head is sent: only a connection that breaks off says that the rest is missing.
    if (!response.destroyed) onError(request.url ?? '', error);
    response.destroy();
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  routes: HttpRoutes,
): Promise<HttpReply> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    const refusal = reply(405, 'this can only be read: use GET or HEAD\n');
    return { ...refusal, headers: { Allow: 'GET, HEAD' } };
  }
  const found = routes.find(request.url ?? '/');
  if (found.slots === undefined) return found.answer();
  const leave = found.slots.take(() => response.destroy());
  if (leave === undefined) return busyReply;
  response.once('close', leave);
  return found.answer();
}

const busyReply: HttpReply = {
  ...reply(503, 'others are reading this now; try again in a few seconds\n'),
  headers: { 'Retry-After': '5' },
};

function listen(server: Server, { host = '', port }: HttpPort): Promise<number> {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      const shown = address.includes(':') ? `[${address}]` : address;
      reject(new ListenError(`${shown}:${port}`, error));
    };
    server.once('error', onError);
    server.listen(address === '' ? { port } : { port, host: address }, () => {
      server.off('error', onError);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}

/** Idle connections end at once, those with a request in progress after the grace. */
export function closeServer(
  server: Server,
  { clock, closeGraceMs = 1_000 }: HttpServerOptions,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(closeGraceMs, () => server.closeAllConnections());
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
