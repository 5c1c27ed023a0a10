/** A server of gRPC for tests: answers what the test says, on a unix socket of its own. */

import { mkdtempSync, rmSync } from 'node:fs';
import http2, { type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FrameSplitter, frameMessage } from './grpc-frames.ts';

export interface ServedCall {
  readonly path: string;
  readonly messages: readonly Uint8Array[];
  readonly stream: ServerHttp2Stream;
}

/** Answers with messages and the status that all went well. */
export function answerWith(call: ServedCall, ...messages: readonly Uint8Array[]): void {
  endWith(call, { 'grpc-status': '0' }, messages);
}

export function endWith(
  { stream }: ServedCall,
  trailers: Readonly<Record<string, string>>,
  messages: readonly Uint8Array[] = [],
): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  for (const message of messages) stream.write(frameMessage(message));
  stream.end();
}

export class GrpcServerFixture {
  readonly #folder = mkdtempSync(join(tmpdir(), 'purelb-grpc-'));
  #server: Http2Server | undefined;
  readonly #sessions = new Set<http2.ServerHttp2Session>();

  get target(): string {
    return `unix://${join(this.#folder, 'socket')}`;
  }

  async start(answer: (call: ServedCall) => void): Promise<void> {
    const server = http2.createServer();
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
    });
    server.on('stream', (stream, headers) => {
      const splitter = new FrameSplitter(1 << 20);
      const messages: Uint8Array[] = [];
      stream.on('error', () => {});
      stream.on('data', (chunk: Uint8Array) => messages.push(...splitter.push(chunk)));
      stream.on('end', () => answer({ path: headers[':path'] ?? '', messages, stream }));
    });
    this.#server = server;
    await new Promise<void>((resolve) => {
      server.listen(join(this.#folder, 'socket'), resolve);
    });
  }

  /** As when the process behind it dies. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const session of this.#sessions) session.destroy();
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
