/** A terminal as a canvas: the other screen, keys one by one, and only those lines written that changed. */

import type { ReadStream, WriteStream } from 'node:tty';
import type { Size } from './screen.ts';
import { type Line, toText } from './styled-text.ts';

const enter = '\x1b[?1049h\x1b[?25l\x1b[2J';
const leave = '\x1b[?25h\x1b[?1049l';

export class Terminal implements Disposable {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #isColoured: boolean;
  #shown: readonly string[] = [];
  #isOpen = false;
  #onKey: (key: string) => void = () => {};
  #onResize: () => void = () => {};

  constructor(input: ReadStream, output: WriteStream) {
    this.#input = input;
    this.#output = output;
    this.#isColoured = output.hasColors() && process.env['NO_COLOR'] === undefined;
  }

  /** `key` is what the terminal sent: a letter, `\x03` for Ctrl-C, `\x1b` for Escape … */
  listen(onKey: (key: string) => void, onResize: () => void): void {
    this.#onKey = onKey;
    this.#onResize = onResize;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#input.setRawMode(true).setEncoding('utf8').on('data', this.#read).resume();
    this.#output.on('resize', this.#resize);
    this.#shown = [];
    this.#output.write(enter);
  }

  /** Gives the terminal back as it was, for a shell or for good. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#input.off('data', this.#read).setRawMode(false).pause();
    this.#output.off('resize', this.#resize).write(leave);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  get size(): Size {
    const [columns, rows] = this.#output.getWindowSize();
    return { columns: Math.max(20, columns), rows: Math.max(6, rows) };
  }

  draw(lines: readonly Line[]): void {
    if (!this.#isOpen) return;
    const texts = lines.map((line) => toText(line, this.#isColoured));
    const changed = texts.flatMap((text, index) =>
      text === this.#shown[index] ? [] : [`\x1b[${index + 1};1H${text}`],
    );
    this.#shown = texts;
    if (changed.length > 0) this.#output.write(changed.join(''));
  }

  readonly #read = (chunk: string | Buffer): void => {
    const text = String(chunk);
    // Arrows and the like are one key of several characters; fast fingers are several keys.
    for (const key of text.startsWith('\x1b') ? [text] : text) this.#onKey(key);
  };

  readonly #resize = (): void => {
    this.#shown = [];
    this.#output.write('\x1b[2J');
    this.#onResize();
  };
}
