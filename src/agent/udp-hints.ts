import { createSocket, type Socket } from 'node:dgram';
import { type Family, familyOf, type Ip, parseIp } from '../model/ip.ts';
import { isProblem } from '../model/parsed.ts';
import type { Log } from '../runtime/log.ts';
import { decodeHint, encodeHint, type Hint } from '../wire/hint.ts';
import { WireError } from '../wire/wire-error.ts';
import { type HintListener, type Hints, hintPort } from './hints.ts';

/** One for each node that a hint goes to or comes from. */
export interface HintCounters {
  readonly sent: number;
  readonly failed: number;
  readonly heard: number;
  /** Came by the same port and are no hints. */
  readonly malformed: number;
}

/** Hints by UDP, on all addresses of the node. Where a family cannot be had, the other one does. */
export class UdpHints implements Hints {
  readonly #port: number;
  readonly #log: Log;
  readonly #sockets: ReadonlyMap<Family, Socket>;
  readonly #counters = { sent: 0, failed: 0, heard: 0, malformed: 0 };
  #listener: HintListener = () => {};

  constructor(log: Log, port = hintPort) {
    this.#log = log;
    this.#port = port;
    this.#sockets = new Map([
      ['ipv4', this.#open(createSocket({ type: 'udp4', reuseAddr: true }))],
      ['ipv6', this.#open(createSocket({ type: 'udp6', ipv6Only: true, reuseAddr: true }))],
    ]);
  }

  send(hint: Hint, to: readonly Ip[]): void {
    const bytes = encodeHint(hint);
    for (const ip of to) {
      this.#sockets.get(familyOf(ip))?.send(bytes, this.#port, ip, (error) => {
        this.#counters[error === null ? 'sent' : 'failed'] += 1;
        if (error !== null) this.#log.debug('Hint not sent', { to: ip, error });
      });
    }
  }

  counters(): HintCounters {
    return { ...this.#counters };
  }

  listen(listener: HintListener): void {
    this.#listener = listener;
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.close();
  }

  #open(socket: Socket): Socket {
    socket.on('message', (bytes, { address }) => this.#hear(bytes, address));
    // A port that someone else has, or a kernel without IPv6: failover then waits for the watchers' own turn.
    socket.on('error', (error) => this.#log.warn('Hints cannot be heard', { error }));
    return socket.bind(this.#port);
  }

  #hear(bytes: Uint8Array, from: string): void {
    try {
      const hint = decodeHint(bytes);
      this.#counters.heard += 1;
      if (hint !== undefined) this.#listener(hint, readSender(from));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#counters.malformed += 1;
      this.#log.debug('Hint not understood', { from, error });
    }
  }
}

/** One of a link alone (`fe80::1%eth0`) is no address that a member is known by. */
function readSender(text: string): Ip | undefined {
  const ip = parseIp(text);
  return isProblem(ip) ? undefined : ip.value;
}
