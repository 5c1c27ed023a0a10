import type { Ip } from '../../src/model/ip.ts';
import type { Host } from '../network/host.ts';
import { Measurement } from './measurement.ts';
import { defaultPort } from './responder.ts';
import type { UdpReport } from './udp-report.ts';

export interface UdpClientOptions {
  readonly to: Ip;
  readonly port?: number;
  readonly perSecond?: number;
  /** Ends by itself after so many packets; never sends more than a million. */
  readonly packets?: number;
  /** Ends by itself after so long; never runs longer than ten minutes. */
  readonly durationMs?: number;
  /** Answers after more than this are late. */
  readonly lateAfterMs?: number;
  /** Ports that it sends from, one after the other; one by default. */
  readonly flows?: number;
  /** Bytes of each packet, without headers. */
  readonly size?: number;
}

export type UdpClientConfig = Required<UdpClientOptions>;

export interface UdpProgress {
  readonly sent: number;
  readonly received: number;
  /** Since the first answer; an answer that comes late takes it back. */
  readonly lost: number;
  readonly longestOutageMs: number;
  /** Who answered the latest packet that was answered. */
  readonly responder?: string;
}

export interface UdpClientReport extends UdpReport {
  /** Packets that were due while the client itself stood still, and therefore never sent. */
  readonly skipped: number;
  /** Answers that reached the client's socket and were thrown away there, because it stood still. */
  readonly socketDrops: number;
  /** Error code → how many packets the client's own kernel refused to send; they count as lost. */
  readonly sendErrors: Readonly<Record<string, number>>;
}

export type UdpClient = Measurement<UdpProgress, UdpClientReport>;

const mostPackets = 1_000_000;
const longestRunMs = 600_000;

/** Sends numbered packets from a host, 1,000 a second by default, until it is stopped; see UdpReport. */
export async function startUdpClient(host: Host, options: UdpClientOptions): Promise<UdpClient> {
  const config: UdpClientConfig = {
    port: defaultPort,
    perSecond: 1000,
    lateAfterMs: 250,
    size: 32,
    flows: 1,
    ...options,
    packets: Math.min(options.packets ?? mostPackets, mostPackets),
    durationMs: Math.min(options.durationMs ?? longestRunMs, longestRunMs),
  };
  return Measurement.start(host, 'udp-client-program.ts', config, {
    sent: 0,
    received: 0,
    lost: 0,
    longestOutageMs: 0,
  });
}
