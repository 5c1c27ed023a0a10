/** An external IPAM for PureLB in a few files: the template for one of your own. */

import { rmSync } from 'node:fs';
import http2, { type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { grpcStatus } from '../../src/runtime/grpc-error.ts';
import { FrameSplitter, frameMessage } from '../../src/runtime/grpc-frames.ts';
import { ProtobufError } from '../../src/runtime/protobuf-wire.ts';
import { answerCall } from './ipam-service.ts';
import { Denial, type PoolBook } from './pool-book.ts';

export interface SidecarOptions {
  readonly book: PoolBook;
  /** A path, or a port of this machine. */
  readonly listen: { readonly socket: string } | { readonly port: number };
  /** Told of every call, by method and status. */
  readonly observe?: (method: string, status: number) => void;
}

export interface RunningSidecar {
  /** As `spec.external.socket` wants it. */
  readonly target: string;
  stop(): Promise<void>;
}

const longestMessage = 1 << 20;

export async function startSidecar(options: SidecarOptions): Promise<RunningSidecar> {
  const { listen } = options;
  const server = http2.createServer();
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => {});
  });
  server.on('stream', (stream, headers) => serve(stream, String(headers[':path']), options));
  // A file that a predecessor left would be in the way.
  if ('socket' in listen) rmSync(listen.socket, { force: true });
  await listenOn(server, listen);
  const target =
    'socket' in listen ? listen.socket : `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  };
  return { target, stop };
}

function listenOn(server: Http2Server, listen: SidecarOptions['listen']): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    if ('socket' in listen) server.listen(listen.socket, resolve);
    else server.listen(listen.port, '127.0.0.1', resolve);
  });
}

/** One call: a message in, a message or a status out. */
function serve(stream: ServerHttp2Stream, path: string, { book, observe }: SidecarOptions): void {
  const splitter = new FrameSplitter(longestMessage);
  const messages: Uint8Array[] = [];
  stream.on('error', () => {});
  stream.on('data', (chunk: Uint8Array) => {
    try {
      messages.push(...splitter.push(chunk));
    } catch {
      stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    }
  });
  stream.on('end', () => {
    if (stream.destroyed) return;
    const method = path.slice(path.lastIndexOf('/') + 1);
    const { status, text, message } = carryOut(book, path, messages[0] ?? new Uint8Array());
    observe?.(method, status);
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => {
      stream.sendTrailers({ 'grpc-status': String(status), 'grpc-message': encodeURI(text) });
    });
    if (message !== undefined) stream.write(frameMessage(message));
    stream.end();
  });
}

function carryOut(book: PoolBook, path: string, request: Uint8Array) {
  try {
    const message = answerCall(book, path, request);
    if (message !== undefined) return { status: 0, text: '', message };
    return { status: grpcStatus.unimplemented, text: `there is no ${path}`, message };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof Denial)
      return { status: grpcStatus[error.status], text, message: undefined };
    const isBad = error instanceof ProtobufError;
    return {
      status: isBad ? grpcStatus.invalidArgument : grpcStatus.internal,
      text,
      message: undefined,
    };
  }
}
