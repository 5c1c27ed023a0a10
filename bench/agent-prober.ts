/** Numbered datagrams from the client's host to many addresses, and when each was answered. */

import { createSocket, type Socket } from 'node:dgram';
import { inNamespace } from '../lab/in-namespace.ts';
import { monotonicMs } from '../lab/monotonic.ts';
import type { Host } from '../lab/network/host.ts';
import { decodeAnswer, encodeRequest } from '../lab/traffic/echo-packet.ts';
import { defaultPort } from '../lab/traffic/responder.ts';

const bytes = 32;

interface Sent {
  readonly at: number;
  readonly onAnswer: (sentAt: number, answeredAt: number) => void;
}

/** One address, asked until it is stopped. */
export interface AddressProbe {
  /** When the first answer came. */
  readonly first: Promise<number>;
  /** When the latest packet of those that were answered was sent. */
  readonly lastAnswered: number;
  stop(): void;
}

export interface StreamReport {
  readonly sent: number;
  readonly lost: number;
}

export class Prober {
  readonly #sockets: { readonly ipv4: Socket; readonly ipv6: Socket };
  readonly #sent = new Map<number, Sent>();
  readonly #run = Math.floor(monotonicMs() * 1000) % 2 ** 32;
  #next = 0;

  static async open(client: Host): Promise<Prober> {
    const open = async (type: 'udp4' | 'udp6') => {
      // Looked up at once, so that the socket is made while this thread is on the client.
      const family = type === 'udp4' ? 4 : 6;
      const socket = createSocket({ type, lookup: (ip, _, found) => found(null, ip, family) });
      const bound = new Promise<void>((resolve) => socket.once('listening', resolve));
      inNamespace(client.namespace, () => socket.bind(0));
      await bound;
      socket.setRecvBufferSize(1 << 20);
      return socket.on('error', () => {});
    };
    return new Prober({ ipv4: await open('udp4'), ipv6: await open('udp6') });
  }

  private constructor(sockets: { readonly ipv4: Socket; readonly ipv6: Socket }) {
    this.#sockets = sockets;
    for (const socket of Object.values(sockets)) {
      socket.on('message', (message: Buffer) => this.#receive(message));
    }
  }

  close(): void {
    for (const socket of Object.values(this.#sockets)) socket.close();
  }

  /** Sends to the address every so many milliseconds, the first at once. */
  probe(ip: string, everyMs: number): AddressProbe {
    const { promise: first, resolve } = Promise.withResolvers<number>();
    const state = { lastAnswered: -Infinity };
    const send = () =>
      this.#send(ip, (sentAt, answeredAt) => {
        state.lastAnswered = Math.max(state.lastAnswered, sentAt);
        resolve(answeredAt);
      });
    send();
    const timer = setInterval(send, everyMs);
    return {
      first,
      get lastAnswered() {
        return state.lastAnswered;
      },
      stop: () => clearInterval(timer),
    };
  }

  /** One after the other over all addresses, again and again; whoever stops it waits for late answers. */
  stream(ips: readonly string[], perSecond: number): { stop(): Promise<StreamReport> } {
    const startedAt = monotonicMs();
    const counts = { sent: 0, answered: 0 };
    const timer = setInterval(() => {
      const due = Math.floor(((monotonicMs() - startedAt) * perSecond) / 1000) - counts.sent;
      for (let left = Math.min(due, 50); left > 0; left -= 1) {
        const ip = ips[counts.sent % ips.length] ?? '';
        counts.sent += 1;
        this.#send(ip, () => {
          counts.answered += 1;
        });
      }
    }, 1);
    const stop = async () => {
      clearInterval(timer);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return { sent: counts.sent, lost: counts.sent - counts.answered };
    };
    return { stop };
  }

  #send(ip: string, onAnswer: Sent['onAnswer']): void {
    const number = this.#next;
    this.#next += 1;
    this.#sent.set(number, { at: monotonicMs(), onAnswer });
    const socket = ip.includes(':') ? this.#sockets.ipv6 : this.#sockets.ipv4;
    socket.send(encodeRequest({ run: this.#run, number }, bytes), defaultPort, ip, () => {});
  }

  #receive(message: Uint8Array): void {
    const answer = decodeAnswer(message);
    if (answer === undefined || answer.run !== this.#run) return;
    const sent = this.#sent.get(answer.number);
    this.#sent.delete(answer.number);
    sent?.onAnswer(sent.at, monotonicMs());
  }
}
