/** Who talks to one address: a thousand packets a second, and ten connections. */

import type { Ip } from '../../src/model/ip.ts';
import type { Host } from '../network/host.ts';
import { startTcpClient, type TcpClient } from '../traffic/tcp-client.ts';
import type { TcpReport } from '../traffic/tcp-report.ts';
import { startUdpClient, type UdpClient, type UdpClientReport } from '../traffic/udp-client.ts';
import { port } from './measured-service.ts';

const connections = 10;

export class FamilyClients implements AsyncDisposable {
  readonly #udp: UdpClient;
  readonly #tcp: TcpClient;

  static async start(host: Host, to: Ip): Promise<FamilyClients> {
    // What does not start ends with its host.
    const [udp, tcp] = await Promise.all([
      startUdpClient(host, { to, port }),
      startTcpClient(host, { to, port, connections, everyMs: 50 }),
    ]);
    return new FamilyClients(udp, tcp);
  }

  private constructor(udp: UdpClient, tcp: TcpClient) {
    this.#udp = udp;
    this.#tcp = tcp;
  }

  get lost(): number {
    return this.#udp.progress.lost;
  }

  /** What is still missing; undefined when enough was answered and every connection talks. */
  get obstacle(): string | undefined {
    const { received } = this.#udp.progress;
    const { talking } = this.#tcp.progress;
    if (received >= 200 && talking === connections) return undefined;
    return `${received} answers, ${talking} connections that talk`;
  }

  async stop(): Promise<{ readonly packets: UdpClientReport; readonly talks: TcpReport }> {
    const [packets, talks] = await Promise.all([this.#udp.stop(), this.#tcp.stop()]);
    return { packets, talks };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#udp[Symbol.asyncDispose](), this.#tcp[Symbol.asyncDispose]()]);
  }
}
