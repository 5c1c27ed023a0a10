import { ByteWriter } from '../wire/byte-writer.ts';
import {
  decodeMessages,
  encodeMessage,
  type NetlinkMessage,
  NLMSG_DONE,
  NLMSG_ERROR,
} from '../wire/netlink-message.ts';
import { errno } from './libc.ts';
import type { NetlinkSocket } from './netlink-socket.ts';

/** A datagram to receive, or an errno to fail with. */
export type Delivery = Uint8Array | number;

/** A socket whose other end is a function from the messages of each datagram sent to what comes back. */
export class ScriptedSocket implements NetlinkSocket {
  readonly sent: (readonly NetlinkMessage[])[] = [];
  readonly queue: Delivery[] = [];
  isClosed = false;
  readonly #peer: (messages: readonly NetlinkMessage[]) => readonly Delivery[] | number;
  readonly #listeners = new Set<() => void>();

  /** The peer may return an errno instead, with which `send` fails. */
  constructor(peer: (messages: readonly NetlinkMessage[]) => readonly Delivery[] | number) {
    this.#peer = peer;
  }

  send(datagram: Uint8Array): number {
    if (this.isClosed) return -errno.EBADF;
    const messages = decodeMessages(datagram.slice());
    this.sent.push(messages);
    const deliveries = this.#peer(messages);
    if (typeof deliveries === 'number') return -deliveries;
    this.queue.push(...deliveries);
    return datagram.length;
  }

  receive(into: Uint8Array): number {
    if (this.isClosed) return -errno.EBADF;
    const next = this.queue.shift() ?? errno.EAGAIN;
    if (typeof next === 'number') return -next;
    into.set(next.subarray(0, into.length));
    return next.length;
  }

  /** Queues what the kernel multicasts, and says so to who polls. */
  deliver(...deliveries: readonly Delivery[]): void {
    this.queue.push(...deliveries);
    for (const listener of [...this.#listeners]) listener();
  }

  onReadable(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.queue.length > 0) listener();
    return () => this.#listeners.delete(listener);
  }

  get isPolled(): boolean {
    return this.#listeners.size > 0;
  }

  close(): void {
    this.isClosed = true;
  }
}

export function datagram(...messages: readonly Partial<NetlinkMessage>[]): Uint8Array {
  const writer = new ByteWriter();
  const empty = { type: 0, flags: 0, sequence: 0, port: 0, body: new Uint8Array() };
  for (const message of messages) encodeMessage(writer, { ...empty, ...message });
  return writer.finish();
}

/** NLMSG_ERROR for a request; errno 0 acknowledges it. */
export function status(sequence: number, number = 0): Partial<NetlinkMessage> {
  const body = new ByteWriter()
    .u32le(-number >>> 0)
    .zeros(16)
    .finish();
  return { type: NLMSG_ERROR, sequence, body };
}

export function done(sequence: number, flags = 0): Partial<NetlinkMessage> {
  return { type: NLMSG_DONE, sequence, flags, body: new Uint8Array(4) };
}
