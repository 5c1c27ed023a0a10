import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../json.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: JsonObject;
}

/** Reads the lines of a watch one by one. */
export class WatchReader {
  readonly status: number;
  readonly #response: IncomingMessage;
  readonly #lines: string[] = [];
  #partial = '';
  #isEnded = false;
  #wake: () => void = () => {};

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#take(chunk));
    response.on('error', () => this.#end());
    response.on('close', () => this.#end());
    response.on('end', () => this.#end());
  }

  /** The next event, or undefined when the server has ended the watch. */
  async next(): Promise<WatchEvent | undefined> {
    const line = await this.nextLine();
    return line === undefined ? undefined : (JSON.parse(line) as WatchEvent);
  }

  /** As it came over the wire. */
  async nextLine(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#isEnded) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    return this.#lines.shift();
  }

  async take(count: number): Promise<readonly WatchEvent[]> {
    const events: WatchEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      events.push(event);
    }
    return events;
  }

  /** Everything until the server ends the watch. */
  async rest(): Promise<readonly WatchEvent[]> {
    return this.take(Number.POSITIVE_INFINITY);
  }

  close(): void {
    this.#response.destroy();
  }

  #take(chunk: string): void {
    const lines = (this.#partial + chunk).split('\n');
    this.#partial = lines.pop() ?? '';
    this.#lines.push(...lines);
    this.#wake();
  }

  #end(): void {
    this.#isEnded = true;
    this.#wake();
  }
}
