import { createSocket, type Socket } from 'node:dgram';
import { familyOf, type Ip } from '../model/ip.ts';
import { type Prefix, prefixContains } from '../model/prefix.ts';
import type { Log } from '../runtime/log.ts';
import { type DatagramListener, type Datagrams, hintPort } from './datagrams.ts';

interface Door {
  readonly prefix: Prefix;
  readonly socket: Socket;
}

/** One socket for each of the node's own addresses: what is sent to an address of a Service finds nobody. */
export class UdpDatagrams implements Datagrams {
  readonly #port: number;
  readonly #log: Log;
  readonly #doors = new Map<Ip, Door>();
  /** Addresses of which a failure was reported, until they can be listened on. */
  readonly #failing = new Set<Ip>();
  readonly #counters = { sent: 0, failed: 0 };
  #listener: DatagramListener = () => {};

  constructor(log: Log, port = hintPort) {
    this.#log = log;
    this.#port = port;
  }

  attend(own: readonly Prefix[]): void {
    const chosen = new Map(own.filter(isUsable).map((prefix) => [prefix.ip, prefix]));
    for (const ip of [...this.#doors.keys(), ...this.#failing]) if (!chosen.has(ip)) this.#shut(ip);
    for (const prefix of chosen.values()) if (!this.#doors.has(prefix.ip)) this.#open(prefix);
  }

  send(bytes: Uint8Array, to: Ip): void {
    const socket = this.#findDoor(to)?.socket;
    if (socket === undefined) this.#counters.failed += 1;
    else socket.send(bytes, this.#port, to, (error) => this.#noteSent(to, error));
  }

  counters(): { readonly sent: number; readonly failed: number } {
    return { ...this.#counters };
  }

  listen(listener: DatagramListener): void {
    this.#listener = listener;
  }

  close(): void {
    this.attend([]);
  }

  #noteSent(to: Ip, error: Error | null): void {
    this.#counters[error === null ? 'sent' : 'failed'] += 1;
    if (error !== null) this.#log.debug('Hint not sent', { to, error });
  }

  /** From the address by which the other knows this node: the one on its network. */
  #findDoor(to: Ip): Door | undefined {
    const doors = [...this.#doors.values()];
    const able = doors.filter(({ prefix }) => familyOf(prefix.ip) === familyOf(to));
    return able.find(({ prefix }) => prefixContains(prefix, to)) ?? able[0];
  }

  #open(prefix: Prefix): void {
    const { ip } = prefix;
    const type = familyOf(ip) === 'ipv4' ? 'udp4' : 'udp6';
    const socket = createSocket({ type, reuseAddr: true });
    this.#doors.set(ip, { prefix, socket });
    socket.on('message', (bytes, { address }) => this.#listener(bytes, address, ip));
    socket.on('listening', () => this.#failing.delete(ip));
    // A port that someone else has, or an address that the kernel still examines: it is tried again with the next pass.
    socket.on('error', (error) => this.#noteFailure(ip, socket, error));
    socket.bind(this.#port, ip);
  }

  #noteFailure(ip: Ip, socket: Socket, error: Error): void {
    if (!this.#failing.has(ip)) this.#log.warn('Hints cannot be heard', { ip, error });
    if (this.#doors.get(ip)?.socket === socket) this.#shut(ip);
    this.#failing.add(ip);
  }

  #shut(ip: Ip): void {
    this.#doors.get(ip)?.socket.close();
    this.#doors.delete(ip);
    this.#failing.delete(ip);
  }
}

/** Addresses of one link alone need the link's name beside them; no member is known by such a one. */
function isUsable({ ip }: Prefix): boolean {
  return !/^fe[89ab]/.test(ip);
}
