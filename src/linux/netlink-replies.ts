/** Sorting what comes back over a netlink socket: which request it answers, and whether all has been said. */

import {
  type NetlinkMessage,
  NLM_F_DUMP_INTR,
  NLMSG_DONE,
  NLMSG_ERROR,
  NLMSG_OVERRUN,
} from '../wire/netlink-message.ts';
import { decodeStatus } from '../wire/netlink-status.ts';
import { errnoName } from './errno-name.ts';
import { NetlinkError } from './netlink-error.ts';

export interface RequestFailure {
  /** Which of the requests. */
  readonly index: number;
  readonly errno: number;
  readonly words?: string;
  /** False: no answer came, so it may or may not have been done. */
  readonly isAnswered: boolean;
}

/** The answers to a batch of requests with consecutive sequence numbers, complete when the last is answered. */
export class Answers {
  readonly #first: number;
  readonly #count: number;
  readonly #onReply: (message: NetlinkMessage) => void;
  readonly #failures = new Map<number, RequestFailure>();
  #isComplete = false;

  constructor(first: number, count: number, onReply: (message: NetlinkMessage) => void) {
    this.#first = first;
    this.#count = count;
    this.#onReply = onReply;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get failures(): readonly RequestFailure[] {
    return [...this.#failures.values()];
  }

  take(message: NetlinkMessage): void {
    const index = (message.sequence - this.#first) >>> 0;
    // A late answer to an earlier request, whose outcome was reported as unknown.
    if (index >= this.#count) return;
    if (message.type !== NLMSG_ERROR) {
      this.#onReply(message);
      return;
    }
    const status = decodeStatus(message);
    if (status.errno !== 0) this.#failures.set(index, { index, ...status, isAnswered: true });
    if (index === this.#count - 1) this.#isComplete = true;
  }

  /** For when the rest of the answers was lost: silence means success only once the last was heard. */
  withUnanswered(errno: number): readonly RequestFailure[] {
    return Array.from(
      { length: this.#count },
      (_, index) => this.#failures.get(index) ?? { index, errno, isAnswered: false },
    );
  }
}

/** The parts of one dump. */
export class Dump {
  readonly bodies: Uint8Array[] = [];
  readonly operation: string;
  readonly #sequence: number;
  #isComplete = false;
  #isInterrupted = false;

  constructor(operation: string, sequence: number) {
    this.operation = operation;
    this.#sequence = sequence;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  take(message: NetlinkMessage): void {
    if (message.sequence !== this.#sequence) return;
    if ((message.flags & NLM_F_DUMP_INTR) !== 0) this.#isInterrupted = true;
    switch (message.type) {
      case NLMSG_DONE:
      case NLMSG_ERROR:
        this.#end(message);
        break;
      case NLMSG_OVERRUN:
        throw unanswered(this.operation);
      default:
        this.bodies.push(message.body);
    }
  }

  #end(message: NetlinkMessage): void {
    const { errno, words } = decodeStatus(message);
    if (errno !== 0) throw NetlinkError.fromErrno(this.operation, errno, words);
    this.#isComplete = true;
  }
}

export function unanswered(operation: string, errno?: number): NetlinkError {
  const reason = errno === undefined ? '' : ` (${errnoName(errno)})`;
  return new NetlinkError('NETLINK_UNANSWERED', operation, {
    message: `no answer from the kernel${reason}`,
    ...(errno !== undefined && { errno }),
  });
}
