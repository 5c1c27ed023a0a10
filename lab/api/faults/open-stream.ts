import type { ChunkSink } from '../api-request.ts';
import type { FaultMatch, WatchBreak } from './fault.ts';
import { matches, type RequestSummary } from './fault-rules.ts';
import { injectedStatus } from './injected-status.ts';

/** Stands between a stream and its reader: holds back, breaks off, says what was never said. */
export class OpenStream implements ChunkSink {
  readonly summary: RequestSummary;
  readonly #sink: ChunkSink;
  #held: string[] | undefined;
  #isBroken = false;
  #endsWhenReleased = false;

  constructor(summary: RequestSummary, sink: ChunkSink) {
    this.summary = summary;
    this.#sink = sink;
  }

  isFor(match: FaultMatch): boolean {
    return matches(match, this.summary);
  }

  write(chunk: string): void {
    if (this.#isBroken) return;
    if (this.#held === undefined) this.#sink.write(chunk);
    else this.#held.push(chunk);
  }

  end(): void {
    if (this.#isBroken) return;
    if (this.#held === undefined) this.#sink.end();
    else this.#endsWhenReleased = true;
  }

  destroy(): void {
    this.#isBroken = true;
    this.#sink.destroy();
  }

  /** From now on nothing gets through. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const chunk of held) this.write(chunk);
    if (this.#endsWhenReleased) this.end();
  }

  break(what: WatchBreak): void {
    switch (what.how) {
      case 'end':
        this.#sink.end();
        break;
      case 'reset':
        this.#sink.destroy();
        break;
      case 'stall':
        break;
      case 'half-line':
        this.#sink.write('{"type":"MODIFIED","object":{"kind":');
        this.#sink.destroy();
        break;
      case 'error':
        this.#sink.write(`${errorEvent(what.code)}\n`);
        break;
    }
    // An ERROR event alone leaves the stream as it is: what comes after it is up to the client.
    this.#isBroken = what.how !== 'error';
  }
}

export function errorEvent(code: number): string {
  return JSON.stringify({ type: 'ERROR', object: injectedStatus(code) });
}
