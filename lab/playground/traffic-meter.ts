/** The client's packets to each address that is followed: what was sent, answered and lost, tick by tick. */

import type { Ip } from '../../src/model/ip.ts';
import type { Host } from '../network/host.ts';
import { startUdpClient, type UdpClient } from '../traffic/udp-client.ts';
import type { TrafficFacts } from './cluster-facts.ts';
import { emptyCount, type PacketCount, takeReading } from './packet-count.ts';

/** Of every address; enough to see a gap of 10 ms. */
const perSecond = 100;
export const tickMs = 250;

interface Followed {
  count: PacketCount;
  /** Undefined while it starts. */
  client: UdpClient | undefined;
  isOver: boolean;
}

export class TrafficMeter {
  readonly #client: Host;
  readonly #followed = new Map<Ip, Followed>();

  constructor(client: Host) {
    this.#client = client;
  }

  get facts(): readonly TrafficFacts[] {
    return [...this.#followed].map(([ip, { count, client }]) => ({
      ip,
      perSecond,
      ticks: count.ticks,
      lost: count.last.lost,
      settledLost: count.settledLost,
      longestOutageMs: Math.round(count.last.longestOutageMs),
      answeredBy: client?.progress.responder,
    }));
  }

  /** These addresses from now on, by their port, and no others. */
  async follow(ports: ReadonlyMap<Ip, number>): Promise<void> {
    const gone = [...this.#followed].filter(([ip]) => !ports.has(ip));
    for (const [ip] of gone) this.#followed.delete(ip);
    const fresh = [...ports].filter(([ip]) => !this.#followed.has(ip));
    await Promise.all([
      ...gone.map(([, followed]) => end(followed)),
      ...fresh.map(([ip, port]) => this.#begin(ip, port)),
    ]);
  }

  /** To be called every `tickMs`. */
  tick(): void {
    for (const followed of this.#followed.values()) {
      if (followed.client === undefined) continue;
      followed.count = takeReading(followed.count, followed.client.progress);
    }
  }

  async close(): Promise<void> {
    await this.follow(new Map());
  }

  async #begin(ip: Ip, port: number): Promise<void> {
    const followed: Followed = { count: emptyCount, client: undefined, isOver: false };
    this.#followed.set(ip, followed);
    const client = await startUdpClient(this.#client, { to: ip, port, perSecond });
    if (followed.isOver) await client.process.kill();
    followed.client = client;
    void client.process.exited.then(() => this.#beginAgain(ip, port, followed));
  }

  /** A client ends by itself after ten minutes. */
  #beginAgain(ip: Ip, port: number, { isOver }: Followed): void {
    if (!isOver && this.#followed.delete(ip)) void this.#begin(ip, port).catch(() => {});
  }
}

async function end(followed: Followed): Promise<void> {
  followed.isOver = true;
  await followed.client?.process.kill();
}
