/** The API server on a socket: reads requests, writes answers, knows nothing about what they mean. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ApiRequest, ApiResponse, ChunkSink } from '../api-request.ts';
import { decodeProtobuf } from '../protobuf/decode-protobuf.ts';
import { RawSockets } from './raw-sockets.ts';

const protobufType = 'application/vnd.kubernetes.protobuf';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Client certificates signed by this one name users. */
  readonly clientCa?: string;
}

export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  readonly tls?: TlsFiles;
}

/** `reset`: break the connection instead of answering. */
export type Handle = (request: ApiRequest) => Promise<ApiResponse | 'reset'>;

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

export async function listen(handle: Handle, options: ListenOptions): Promise<Listening> {
  const server = createAnyServer(options);
  const sockets = new RawSockets(server);
  server.on('request', (request, response) => {
    const reset = () => sockets.reset(response.socket);
    void serve(handle, request, response, reset);
  });
  // Watches are quiet for minutes, and a client may keep a connection for its next request.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 90_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function createAnyServer({ tls }: ListenOptions): Server {
  if (tls === undefined) return createServer();
  const { cert, key, clientCa } = tls;
  const clients =
    clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: false };
  return createTlsServer({ cert, key, ...clients });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function serve(
  handle: Handle,
  request: IncomingMessage,
  response: ServerResponse,
  reset: () => void,
): Promise<void> {
  try {
    const answer = await handle(await readRequest(request));
    if (answer === 'reset') reset();
    else writeAnswer(response, answer, reset);
  } catch (error) {
    if (response.headersSent || response.destroyed) response.destroy();
    else writeBug(response, error);
  }
}

/** A bug of ours shows its stack to whoever runs the test. */
function writeBug(response: ServerResponse, error: unknown): void {
  response.writeHead(500, { 'content-type': 'text/plain' });
  response.end(error instanceof Error ? error.stack : String(error));
}

async function readRequest(request: IncomingMessage): Promise<ApiRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = 'GET', url = '/', headers } = request;
  return {
    method,
    url,
    ...readBody(headers as Record<string, string | undefined>, Buffer.concat(chunks)),
    ...certificateOf(request.socket),
  };
}

/** Protobuf becomes JSON at the door; nothing behind it knows of it. */
function readBody(
  headers: Record<string, string | undefined>,
  bytes: Buffer,
): Pick<ApiRequest, 'headers' | 'body'> {
  const isProtobuf = headers['content-type']?.startsWith(protobufType) === true;
  const object = isProtobuf ? decodeProtobuf(bytes) : undefined;
  if (object === undefined) return { headers, body: bytes.toString('utf8') };
  const json = { ...headers, 'content-type': 'application/json' };
  return { headers: json, body: JSON.stringify(object) };
}

/** The user's name is the common name, its organisations are groups. */
function certificateOf(socket: Socket): Pick<ApiRequest, 'certificate'> {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return {};
  const { subject } = socket.getPeerCertificate();
  if (subject === undefined) return {};
  const groups = subject.O === undefined ? [] : [subject.O].flat();
  return { certificate: { user: String(subject.CN), groups } };
}

function writeAnswer(
  response: ServerResponse,
  { status, headers, body }: ApiResponse,
  reset: () => void,
): void {
  if (response.destroyed) return;
  if (typeof body === 'string') {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
    return;
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  const sink: ChunkSink = {
    write: (chunk) => void response.write(chunk),
    end: () => void response.end(),
    destroy: reset,
  };
  const stop = body(sink);
  response.on('close', stop);
}
