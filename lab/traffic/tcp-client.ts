import type { Ip } from '../../src/model/ip.ts';
import type { Host } from '../network/host.ts';
import { Measurement } from './measurement.ts';
import { defaultPort } from './responder.ts';
import type { TcpReport } from './tcp-report.ts';

export interface TcpClientOptions {
  readonly to: Ip;
  readonly port?: number;
  /** How many at the same time; at most 200. */
  readonly connections?: number;
  /** A message on each connection every so often. */
  readonly everyMs?: number;
  /** A message without echo for longer is a stall. */
  readonly stallAfterMs?: number;
  /** An attempt to connect is given up after so long, and followed by the next. */
  readonly connectWithinMs?: number;
  /** Ends by itself after so long; never runs longer than ten minutes. */
  readonly durationMs?: number;
}

export type TcpClientConfig = Required<TcpClientOptions>;

export interface TcpProgress {
  readonly open: number;
  readonly echoed: number;
  /** Those that are open, and get their echoes. */
  readonly talking: number;
}

export type TcpClient = Measurement<TcpProgress, TcpReport>;

const mostConnections = 200;
const longestRunMs = 600_000;

/** Opens connections that live until the client is stopped, talks on each, and reconnects those that end. */
export async function startTcpClient(host: Host, options: TcpClientOptions): Promise<TcpClient> {
  const config: TcpClientConfig = {
    port: defaultPort,
    everyMs: 20,
    stallAfterMs: 150,
    connectWithinMs: 1000,
    ...options,
    connections: Math.min(options.connections ?? 1, mostConnections),
    durationMs: Math.min(options.durationMs ?? longestRunMs, longestRunMs),
  };
  return Measurement.start(host, 'tcp-client-program.ts', config, {
    open: 0,
    echoed: 0,
    talking: 0,
  });
}
