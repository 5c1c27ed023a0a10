/** The emulation over HTTP, on a port of its own: for programs that are not in this process. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { Netbox, type NetboxOptions } from './netbox.ts';
import type { NetboxAnswer, NetboxRequest } from './netbox-request.ts';

export interface StartOptions extends NetboxOptions {
  readonly port?: number;
  readonly host?: string;
  /** Makes it listen somewhere else, such as in another namespace; it must not wait for anything. */
  readonly listen?: (server: Server) => void;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Below which path it is, as behind a proxy. */
  readonly basePath?: string;
  /** In place of the emulation's own answer; undefined hangs, `reset` drops the connection. */
  readonly intercept?: (
    request: NetboxRequest,
    handle: () => NetboxAnswer,
  ) => Promise<NetboxAnswer | 'reset' | undefined>;
}

export interface RunningNetbox {
  readonly netbox: Netbox;
  readonly url: string;
  /** Every request, as `METHOD path`. */
  readonly requests: readonly string[];
  stop(): Promise<void>;
}

export async function startNetbox(options: StartOptions = {}): Promise<RunningNetbox> {
  const netbox = new Netbox(options);
  const requests: string[] = [];
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    void serve(incoming, response, netbox, options, requests);
  };
  const server =
    options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  await new Promise<void>((resolve) => {
    server.once('listening', resolve);
    if (options.listen === undefined) server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
    else options.listen(server);
  });
  const { port } = server.address() as AddressInfo;
  const scheme = options.tls === undefined ? 'http' : 'https';
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { netbox, url: `${scheme}://127.0.0.1:${port}${options.basePath ?? ''}`, requests, stop };
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  netbox: Netbox,
  { basePath = '', intercept }: StartOptions,
  requests: string[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const request = readRequest(incoming, Buffer.concat(chunks).toString('utf8'), basePath);
  requests.push(`${request.method} ${request.url}`);
  const handle = () => netbox.handle(request);
  const answer = intercept === undefined ? handle() : await intercept(request, handle);
  if (answer === undefined) return;
  if (answer === 'reset') {
    incoming.socket.destroy();
    return;
  }
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

function readRequest(incoming: IncomingMessage, body: string, basePath: string): NetboxRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
  const { method = '', url = '' } = incoming;
  return {
    method,
    url: url.startsWith(basePath) ? url.slice(basePath.length) : url,
    headers,
    body,
  };
}
