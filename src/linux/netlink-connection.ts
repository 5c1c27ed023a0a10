/**
 * Requests to the kernel over one netlink socket. The kernel does its work inside `send` and each `receive` of a dump
 * makes the next part, so nothing here waits: the methods are asynchronous only to give others their turn.
 */

import { ByteWriter } from '../wire/byte-writer.ts';
import {
  decodeMessages,
  encodeMessage,
  type NetlinkMessage,
  NLM_F_ACK,
  NLM_F_DUMP,
  NLM_F_REQUEST,
} from '../wire/netlink-message.ts';
import { WireError } from '../wire/wire-error.ts';
import { BatchSize } from './batch-size.ts';
import { errno } from './libc.ts';
import { NetlinkError } from './netlink-error.ts';
import { Answers, Dump, type RequestFailure, unanswered } from './netlink-replies.ts';
import type { NetlinkSocket } from './netlink-socket.ts';
import { Serial } from './serial.ts';
import { Turn } from './turn.ts';

/** A part of a dump has at most 32 KiB; all else is far shorter. */
const receiveBytes = 65536;
const dumpAttempts = 16;

export interface NetlinkRequest {
  readonly type: number;
  /** Beside NLM_F_REQUEST, which is always set. */
  readonly flags?: number;
  /** Called when it is sent, so that the work of encoding many requests is spread over turns too. */
  readonly encodeBody: () => Uint8Array;
}

export interface Transaction {
  readonly begin: NetlinkRequest;
  /** At least one. */
  readonly requests: readonly NetlinkRequest[];
  readonly end: NetlinkRequest;
}

type Decoder<T> = (body: Uint8Array) => T | undefined;

export class NetlinkConnection {
  readonly #socket: NetlinkSocket;
  readonly #now: () => number;
  readonly #serial = new Serial();
  readonly #writer = new ByteWriter(8192);
  readonly #received = new Uint8Array(receiveBytes);
  #sequence = 0;
  #isClosed = false;

  constructor(socket: NetlinkSocket, now: () => number = () => performance.now()) {
    this.#socket = socket;
    this.#now = now;
  }

  /** Carries out all requests in their order, whichever of them fail. */
  async execute(requests: readonly NetlinkRequest[]): Promise<readonly RequestFailure[]> {
    const failures: RequestFailure[] = [];
    const size = new BatchSize();
    const turn = new Turn(this.#now);
    for (let start = 0; start < requests.length; ) {
      if (turn.isOver()) await turn.next();
      const batch = requests.slice(start, start + size.current);
      const startedAt = this.#now();
      for (const failure of await this.#alone('change', () => this.#exchange(batch))) {
        failures.push({ ...failure, index: start + failure.index });
      }
      size.adapt(this.#now() - startedAt);
      start += batch.length;
    }
    return failures;
  }

  /**
   * Carries out all requests or none of them: between two marks, in one datagram (linux/netfilter/nfnetlink.h). Throws
   * the first of the kernel's objections. The marks are not acknowledged by every kernel; the last request is.
   */
  async transact(operation: string, { begin, requests, end }: Transaction): Promise<void> {
    await this.#alone(operation, () => {
      const failures = this.#exchange([begin, ...requests], () => {}, end);
      const failure = failures.find(({ isAnswered }) => isAnswered) ?? failures[0];
      if (failure === undefined) return;
      if (!failure.isAnswered) throw unanswered(operation, failure.errno);
      throw NetlinkError.fromErrno(operation, failure.errno, failure.words);
    });
  }

  /** The one thing asked for; a NetlinkError with the kernel's errno if there is none. */
  async ask<T>(operation: string, request: NetlinkRequest, decode: Decoder<T>): Promise<T> {
    return this.#alone(operation, () => {
      let answer: T | undefined;
      const [failure] = this.#exchange([request], ({ body }) => {
        answer = decode(body);
      });
      if (failure?.isAnswered === true) {
        throw NetlinkError.fromErrno(operation, failure.errno, failure.words);
      }
      if (failure !== undefined || answer === undefined)
        throw unanswered(operation, failure?.errno);
      return answer;
    });
  }

  /** Everything of a kind, complete; what changes meanwhile makes it start again. */
  async dump<T>(
    operation: string,
    request: NetlinkRequest,
    decode: Decoder<T>,
  ): Promise<readonly T[]> {
    for (let attempt = 0; attempt < dumpAttempts; attempt++) {
      const bodies = await this.#alone(operation, () => this.#receiveDump(operation, request));
      if (bodies !== undefined) return this.#decodeAll(operation, bodies, decode);
    }
    throw new NetlinkError('NETLINK_INTERRUPTED', operation, {
      message: `changed under way in each of ${dumpAttempts} tries`,
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.close();
  }

  async #alone<T>(operation: string, task: () => T | Promise<T>): Promise<T> {
    return this.#serial.run(() => {
      if (!this.#isClosed) return task();
      throw new NetlinkError('NETLINK_CLOSED', operation, { message: 'connection is closed' });
    });
  }

  /** One datagram with an acknowledgement of the last request only: failures are always reported. */
  #exchange(
    requests: readonly NetlinkRequest[],
    onReply: (message: NetlinkMessage) => void = () => {},
    end?: NetlinkRequest,
  ): readonly RequestFailure[] {
    const first = this.#sequence;
    this.#writer.reset();
    for (const [index, request] of requests.entries()) {
      this.#encode(request, index === requests.length - 1 ? NLM_F_ACK : 0);
    }
    if (end !== undefined) this.#encode(end, 0);
    const sent = this.#socket.send(this.#writer.written());
    if (sent < 0) return requests.map((_, index) => ({ index, errno: -sent, isAnswered: true }));
    return this.#collect(new Answers(first, requests.length, onReply));
  }

  #encode({ type, flags = 0, encodeBody }: NetlinkRequest, extraFlags: number): void {
    const sequence = this.#sequence;
    this.#sequence = (this.#sequence + 1) >>> 0;
    const header = { type, flags: NLM_F_REQUEST | flags | extraFlags, sequence, port: 0 };
    encodeMessage(this.#writer, { ...header, body: encodeBody() });
  }

  #collect(answers: Answers): readonly RequestFailure[] {
    while (!answers.isComplete) {
      const messages = this.#receive();
      if (typeof messages === 'number') return answers.withUnanswered(messages);
      try {
        for (const message of messages) answers.take(message);
      } catch (error) {
        if (error instanceof WireError) return answers.withUnanswered(errno.EBADMSG);
        throw error;
      }
    }
    return answers.failures;
  }

  /** The messages of the next datagram, or an errno. */
  #receive(): readonly NetlinkMessage[] | number {
    const length = this.#socket.receive(this.#received);
    if (length === -errno.EINTR) return [];
    if (length < 0) return -length;
    if (length > this.#received.length) return errno.EMSGSIZE;
    try {
      return decodeMessages(this.#received.slice(0, length));
    } catch {
      return errno.EBADMSG;
    }
  }

  /** Undefined when the tables changed under way. */
  async #receiveDump(
    operation: string,
    request: NetlinkRequest,
  ): Promise<readonly Uint8Array[] | undefined> {
    const sequence = this.#sequence;
    this.#writer.reset();
    this.#encode(request, NLM_F_DUMP);
    const sent = this.#socket.send(this.#writer.written());
    if (sent < 0) throw NetlinkError.fromErrno(operation, -sent);
    try {
      return await this.#receiveParts(new Dump(operation, sequence));
    } catch (error) {
      this.#abandonDump();
      throw error instanceof WireError ? unanswered(operation, errno.EBADMSG) : error;
    }
  }

  async #receiveParts(dump: Dump): Promise<readonly Uint8Array[] | undefined> {
    const turn = new Turn(this.#now);
    while (!dump.isComplete) {
      if (turn.isOver()) await turn.next();
      const messages = this.#receive();
      if (typeof messages === 'number') throw unanswered(dump.operation, messages);
      for (const message of messages) dump.take(message);
    }
    return dump.isInterrupted ? undefined : dump.bodies;
  }

  /** An unfinished dump would make the kernel refuse the next one. */
  #abandonDump(): void {
    for (let parts = 0; parts < 10_000; parts++) {
      const length = this.#socket.receive(this.#received);
      if (length < 0 && length !== -errno.ENOBUFS && length !== -errno.EINTR) return;
    }
  }

  async #decodeAll<T>(
    operation: string,
    bodies: readonly Uint8Array[],
    decode: Decoder<T>,
  ): Promise<readonly T[]> {
    const turn = new Turn(this.#now);
    const values: T[] = [];
    try {
      for (const [index, body] of bodies.entries()) {
        if (index % 64 === 63 && turn.isOver()) await turn.next();
        const value = decode(body);
        if (value !== undefined) values.push(value);
      }
    } catch (cause) {
      throw new NetlinkError('NETLINK_UNANSWERED', operation, { message: 'cannot be read', cause });
    }
    return values;
  }
}
