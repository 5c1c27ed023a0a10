/** Requests to an emulation in the same process, each with a fate of its own. */

import {
  RestError,
  type RestReply,
  type RestRequest,
  type RestTransport,
} from '../../src/ipam/rest-transport.ts';
import { type Clock, sleep } from '../../src/runtime/clock.ts';
import type { Netbox } from './netbox.ts';
import type { NetboxAnswer } from './netbox-request.ts';

/**
 * What becomes of a request. `lost`: it never arrives; `unanswered`: it is carried out and nobody hears of it; `late`: it
 * is carried out so long after the client has given up; `answer`: something else answers.
 */
export type Fate =
  | { readonly kind: 'served' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'late'; readonly afterMs: number }
  | { readonly kind: 'answer'; readonly change: (answer: NetboxAnswer) => NetboxAnswer };

export interface MemoryTransportOptions {
  readonly netbox: Netbox;
  readonly clock: Clock;
  readonly fateOf?: (request: RestRequest) => Fate;
  readonly latencyMs?: () => number;
}

export class MemoryTransport implements RestTransport {
  readonly #options: MemoryTransportOptions;
  /** Every request, as `METHOD path`. */
  readonly requests: string[] = [];
  #isDead = false;

  constructor(options: MemoryTransportOptions) {
    this.#options = options;
  }

  /** Nothing is sent any more, and nothing is heard: the process is gone. */
  die(): void {
    this.#isDead = true;
  }

  close(): void {}

  async send(request: RestRequest, signal: AbortSignal): Promise<RestReply> {
    const { clock, fateOf = () => served, latencyMs = () => 0 } = this.#options;
    signal.throwIfAborted();
    if (this.#isDead) return never(signal);
    this.requests.push(`${request.method} ${request.path}`);
    const fate = fateOf(request);
    if (fate.kind === 'refused') throw new RestError('unreachable', 'connect ECONNREFUSED');
    if (fate.kind === 'lost') throw new RestError('cut', 'socket hang up');
    if (latencyMs() > 0) await sleep(clock, latencyMs(), signal);
    if (fate.kind === 'late') return this.#serveLate(request, fate.afterMs, signal);
    const answer = this.#handle(request);
    if (latencyMs() > 0) await sleep(clock, latencyMs(), signal);
    if (this.#isDead) return never(signal);
    if (fate.kind === 'unanswered') throw new RestError('cut', 'socket hang up');
    return fate.kind === 'answer' ? fate.change(answer) : answer;
  }

  async #serveLate(request: RestRequest, afterMs: number, signal: AbortSignal): Promise<RestReply> {
    const { clock } = this.#options;
    clock.after(afterMs, () => this.#handle(request));
    await sleep(clock, 1_000, signal);
    throw new RestError('cut', 'no answer within 1 s');
  }

  #handle({ method, path, headers, body = '' }: RestRequest): NetboxAnswer {
    return this.#options.netbox.handle({ method, url: path, headers, body });
  }
}

const served: Fate = { kind: 'served' };

/** Until whoever waits gives up. */
function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
}
