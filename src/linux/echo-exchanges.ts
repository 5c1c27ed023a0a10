/** Who was asked by echo, so that neither questions nor replies are made or read anew each time. */

import type { EchoReply } from '../model/neighbour-frame.ts';
import { EchoExchange } from '../wire/echo-exchange.ts';
import type { EchoProbe } from '../wire/probe.ts';

type Asked = Omit<EchoProbe, 'identifier' | 'sequence'>;

/** Of a large cluster; who is asked no more is forgotten with all others. */
const mostExchanges = 5_000;
/** Replies come within milliseconds; one that is later is read as any other frame. */
const mostOpen = 256;

export class EchoExchanges {
  readonly #identifier: number;
  readonly #exchanges = new Map<string, EchoExchange>();
  /** The latest, by the lowest bits of the sequence. */
  readonly #open: (EchoExchange | undefined)[] = new Array(mostOpen);

  constructor(identifier: number) {
    this.#identifier = identifier;
  }

  with(asked: Asked, sequence: number): EchoExchange {
    const key = `${asked.ip} ${asked.to} ${asked.source} ${asked.mac}`;
    const exchange = this.#exchanges.get(key) ?? this.#begin(key, asked);
    this.#open[sequence % mostOpen] = exchange;
    return exchange;
  }

  recognise(frame: Uint8Array): EchoReply | undefined {
    return this.#open[EchoExchange.sequenceIn(frame) % mostOpen]?.recognise(frame);
  }

  #begin(key: string, asked: Asked): EchoExchange {
    if (this.#exchanges.size >= mostExchanges) this.#exchanges.clear();
    const exchange = new EchoExchange({ ...asked, identifier: this.#identifier });
    this.#exchanges.set(key, exchange);
    return exchange;
  }
}
