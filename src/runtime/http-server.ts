/** A small read-only HTTP server for scrapers, probes and tools. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from './clock.ts';
import { type HttpReply, type HttpRoutes, reply } from './http-routes.ts';

export interface HttpServerOptions {
  /** Address to listen on, IPv4 or IPv6; all of them if empty. */
  readonly host?: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly routes: HttpRoutes;
  readonly clock: Clock;
  readonly onError: (where: string, error: unknown) => void;
  /** How long `close` lets requests in progress go on. */
  readonly closeGraceMs?: number;
}

export interface HttpServer {
  /** The real one, also where 0 was asked for. */
  readonly port: number;
  close(): Promise<void>;
}

export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code: string;

  constructor(where: string, cause: NodeJS.ErrnoException) {
    const code = cause.code ?? 'UNKNOWN';
    super(`cannot listen on ${where}: ${listenFailures[code] ?? cause.message}`, { cause });
    this.code = code;
  }
}

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process uses this port; stop it or choose another port',
  EADDRNOTAVAIL: 'no link of this machine has this address',
  EACCES: 'this user may not use this port; choose one above 1023',
};

export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { routes, onError } = options;
  const server = createServer(limits, (request, response) => {
    const failed = (error: unknown) => {
      onError(request.url ?? '', error);
      return reply(500, 'this failed here; the log says why\n');
    };
    void answer(request, routes)
      .catch(failed)
      .then((found) => send(server, response, found));
  });
  server.timeout = 30_000;
  server.maxConnections = 256;
  const port = await listen(server, options);
  server.on('error', (error) => onError(`port ${port}`, error));
  return { port, close: () => close(server, options) };
}

const limits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 8_192,
};

async function answer(request: IncomingMessage, routes: HttpRoutes): Promise<HttpReply> {
  if (request.method === 'GET' || request.method === 'HEAD') {
    return routes.answer(request.url ?? '/');
  }
  return reply(405, 'this can only be read: use GET or HEAD\n');
}

function send(server: Server, response: ServerResponse, { status, type, body }: HttpReply): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': bytes.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
    // A refused body is not waited for, and a server that closes keeps nobody.
    ...(status === 405 || !server.listening ? { Connection: 'close' } : {}),
  });
  // Node itself leaves the body out of an answer to HEAD.
  response.end(bytes);
}

function listen(server: Server, { host = '', port }: HttpServerOptions): Promise<number> {
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
function close(server: Server, { clock, closeGraceMs = 1_000 }: HttpServerOptions): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(closeGraceMs, () => server.closeAllConnections());
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
