/** JSON lines: time, level, a fixed phrase, and fields. */

import { type LogSink, stdoutSink } from './log-sink.ts';
import { type LogValue, secretMatcher, toLogFields } from './log-value.ts';

export const levels = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

export type LogFields = Readonly<Record<string, unknown>>;

export interface LogOptions {
  readonly level?: Level;
  readonly sink?: LogSink;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Fields to mask beside those that always are. */
  readonly redact?: readonly string[];
}

const alwaysSecret = [
  'token',
  'password',
  'passwd',
  'passphrase',
  'secret',
  'authorization',
  'cookie',
  'apikey',
  'privatekey',
  'credentials',
];

/** Shared by a logger and all its children. */
interface Outlet {
  level: Level;
  readonly sink: LogSink;
  readonly now: () => number;
  readonly isSecret: (name: string) => boolean;
}

export class Log {
  readonly #outlet: Outlet;
  readonly #bound: LogFields;

  private constructor(outlet: Outlet, bound: LogFields) {
    this.#outlet = outlet;
    this.#bound = bound;
  }

  static create({
    level = 'info',
    sink = stdoutSink,
    now = Date.now,
    redact = [],
  }: LogOptions = {}): Log {
    const isSecret = secretMatcher([...alwaysSecret, ...redact]);
    return new Log({ level, sink, now, isSecret }, {});
  }

  /** Adds `fields` to each of its lines; a line's own field of the same name wins. */
  child(fields: LogFields): Log {
    return new Log(this.#outlet, { ...this.#bound, ...fields });
  }

  get level(): Level {
    return this.#outlet.level;
  }

  /** For this logger, its parents and all their children, from the next line on. */
  setLevel(level: Level): void {
    this.#outlet.level = level;
  }

  /** Spares the cost of gathering fields that would not be written. */
  isEnabled(level: Level): boolean {
    return levels.indexOf(level) >= levels.indexOf(this.#outlet.level);
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  #write(level: Level, msg: string, fields: LogFields = {}): void {
    if (!this.isEnabled(level)) return;
    const { sink, now, isSecret } = this.#outlet;
    const time = new Date(now()).toISOString();
    const options = { withStack: level === 'error', isSecret };
    const values = { ...toLogFields(this.#bound, options), ...toLogFields(fields, options) };
    sink(toLine({ time, level, msg }, values));
  }
}

/** As the environment gives it: any case; what is not a level counts as `info`. */
export function parseLevel(text: string | undefined): Level {
  return levels.find((level) => level === text?.toLowerCase()) ?? 'info';
}

function toLine(head: Record<string, string>, fields: Record<string, LogValue>): string {
  const line: Record<string, LogValue> = Object.assign(Object.create(null), head);
  for (const [name, value] of Object.entries(fields)) {
    line[Object.hasOwn(head, name) ? `${name}_` : name] = value;
  }
  return JSON.stringify(line).replace(lineBreakers, escapeCharacter);
}

// JSON leaves these as they are; some readers break lines at them, terminals obey them.
const lineBreakers = /[\u007f-\u009f\u2028\u2029]/g;

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
