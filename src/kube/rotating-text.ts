import { readFile } from 'node:fs/promises';
import type { Clock } from '../runtime/clock.ts';
import type { TextSource } from './api-server-config.ts';

const freshForMs = 60_000;

/** A text that may be replaced on disk while we run; it is looked at again once a minute, when asked for. */
export class RotatingText {
  readonly #source: TextSource;
  readonly #clock: Clock;
  #text: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(source: TextSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    if ('text' in source) this.#text = source.text;
  }

  /** Throws only if there never was a text: once there was one, a file that cannot be read changes nothing. */
  async get(): Promise<string> {
    if (this.#clock.monotonic() - this.#readAt >= freshForMs) await this.#read();
    if (this.#text === undefined) throw new Error('not read yet');
    return this.#text;
  }

  /** Reads again at once; true if there is something new. */
  async refresh(): Promise<boolean> {
    const before = this.#text;
    await this.#read();
    return this.#text !== before;
  }

  /** Those who ask while it is being read wait for the same reading. */
  async #read(): Promise<void> {
    if (!('file' in this.#source)) return;
    const { file } = this.#source;
    this.#reading ??= this.#readFile(file).finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #readFile(file: string): Promise<void> {
    try {
      const text = (await readFile(file, 'utf8')).trim();
      // A file that is being written may be empty for a moment.
      if (text === '' && this.#text === undefined) throw new Error(`${file} is empty`);
      if (text !== '') this.#text = text;
    } catch (error) {
      if (this.#text === undefined) throw error;
    }
    this.#readAt = this.#clock.monotonic();
  }
}
