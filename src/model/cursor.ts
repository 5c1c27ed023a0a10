/** A cursor over JSON of unknown shape: it reads what it is asked for, and every problem is noted with its place. */

import { abbreviate } from './ip.ts';
import { nearest } from './nearest.ts';
import { isProblem, type Parsed, type Problem } from './parsed.ts';

/** A value or problems, and in either case what a person should know. */
export type Reading<T> = Parsed<T> & { readonly warnings: readonly Problem[] };

/** Reads with a cursor at the whole input. What is built is returned only if no problem was noted. */
export function read<T>(input: unknown, build: (root: Cursor) => T): Reading<T> {
  const notes = new Notes();
  return finish(notes, build(new Cursor(input, () => '', notes, strict)));
}

function finish<T>(notes: Notes, value: T): Reading<T> {
  const warnings = notes.allWarnings();
  return notes.problems.length === 0 ? { value, warnings } : { problems: notes.problems, warnings };
}

/** More than anyone reads; a hostile object must not make a condition or a log line grow without bound. */
const mostNotes = 100;

class Notes {
  readonly problems: Problem[] = [];
  readonly #warnings: Problem[] = [];
  /** The fields asked for, of each object that is to be read whole. */
  readonly #asked = new Map<object, { readonly path: string; readonly names: Set<string> }>();

  refuse(path: string, message: string): void {
    addNote(this.problems, { path, message });
  }

  warn(path: string, message: string): void {
    addNote(this.#warnings, { path, message });
  }

  noteAsked(object: object, path: string, name: string): void {
    const entry = this.#asked.get(object) ?? { path, names: new Set() };
    entry.names.add(name);
    this.#asked.set(object, entry);
  }

  allWarnings(): readonly Problem[] {
    for (const [object, { path, names }] of this.#asked) {
      const unknown = Object.keys(object).filter((name) => !names.has(name));
      for (const name of unknown.slice(0, mostNotes)) {
        this.warn(pathTo(path, name), describeUnknown(name, names));
      }
    }
    return this.#warnings;
  }
}

interface Mode {
  /** Fields that nobody asks for are worth a warning. */
  readonly isWhole: boolean;
  /** Problems are warnings. */
  readonly isLenient: boolean;
}

const strict: Mode = { isWhole: false, isLenient: false };

export class Cursor {
  readonly #value: unknown;
  /** Asked only when there is something to say: most of what is read is as it should be. */
  readonly #pathOf: () => string;
  readonly #notes: Notes;
  readonly #mode: Mode;

  constructor(value: unknown, pathOf: () => string, notes: Notes, mode: Mode) {
    this.#value = value;
    this.#pathOf = pathOf;
    this.#notes = notes;
    this.#mode = mode;
  }

  get path(): string {
    return this.#pathOf();
  }

  /** Kubernetes takes `null` for absent. */
  get isPresent(): boolean {
    return this.#value !== undefined && this.#value !== null;
  }

  /** From here on a field that nobody asks for is worth a warning: it is misspelt, or from a later version. */
  whole(): Cursor {
    return this.#with({ ...this.#mode, isWhole: true });
  }

  /** From here on nothing is refused: what cannot be read is as if absent, and warned of. */
  lenient(): Cursor {
    return this.#with({ ...this.#mode, isLenient: true });
  }

  /** Notes a problem if nothing is here. */
  required(): Cursor {
    if (!this.isPresent) this.refuse('is missing');
    return this;
  }

  refuse(message: string): void {
    this.#note({ path: this.path, message });
  }

  warn(message: string): void {
    this.#notes.warn(this.path, message);
  }

  /** The named fields of the object here; all absent if nothing is. */
  fields<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, Cursor>> {
    const object = this.#object();
    const entries = names.map((name) => {
      if (this.#mode.isWhole && object !== undefined)
        this.#notes.noteAsked(object, this.path, name);
      const value = object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
      return [name, this.#below(name, value)];
    });
    return Object.fromEntries(entries) as Record<Name, Cursor>;
  }

  /** Every field of the object here, whatever its name. */
  entries(): readonly (readonly [name: string, cursor: Cursor])[] {
    return Object.entries(this.#object() ?? {}).map(([name, value]) => {
      return [name, this.#below(name, value)];
    });
  }

  items(): readonly Cursor[] {
    if (!this.isPresent) return [];
    if (!Array.isArray(this.#value)) {
      this.#expected('a list');
      return [];
    }
    return this.#value.map((value: unknown, index) => this.#below(index, value));
  }

  string(): string | undefined {
    if (typeof this.#value === 'string') return this.#value;
    return this.isPresent ? this.#expected('text') : undefined;
  }

  boolean(): boolean | undefined {
    if (typeof this.#value === 'boolean') return this.#value;
    return this.isPresent ? this.#expected('true or false') : undefined;
  }

  integer(bounds: { readonly min: number; readonly max: number }): number | undefined {
    if (!this.isPresent) return undefined;
    if (typeof this.#value !== 'number' || !Number.isSafeInteger(this.#value)) {
      return this.#expected('a whole number');
    }
    if (this.#value >= bounds.min && this.#value <= bounds.max) return this.#value;
    this.refuse(`${this.#value} is out of bounds: write ${bounds.min} to ${bounds.max}`);
    return undefined;
  }

  /** One of the words given; a word that is close to one gets it suggested. */
  oneOf<Word extends string>(words: readonly Word[]): Word | undefined {
    const text = this.string();
    if (text === undefined) return undefined;
    const word = words.find((candidate) => candidate === text);
    if (word !== undefined) return word;
    const meant = nearest(text, words);
    const advice = meant === undefined ? '' : `: did you mean ${meant}?`;
    this.refuse(`"${abbreviate(text)}" is not one of ${words.join(', ')}${advice}`);
    return undefined;
  }

  /** The text here, read by a parser whose problems become this cursor's. */
  parse<T>(parser: (text: string, path: string) => Parsed<T>): T | undefined {
    const text = this.string();
    if (text === undefined) return undefined;
    const parsed = parser(text, this.path);
    if (!isProblem(parsed)) return parsed.value;
    for (const problem of parsed.problems) this.#note(problem);
    return undefined;
  }

  /** Reads what is here with notes of its own, for what may be wrong without spoiling the rest. */
  apart<T>(build: (cursor: Cursor) => T): Reading<T> {
    const notes = new Notes();
    return finish(
      notes,
      build(new Cursor(this.#value, this.#pathOf, notes, { ...this.#mode, isLenient: false })),
    );
  }

  /** Reads what is here if it can be read; what is wrong with it becomes warnings. */
  attempt<T>(build: (cursor: Cursor) => T): T | undefined {
    const reading = this.apart(build);
    const problems = isProblem(reading) ? reading.problems : [];
    for (const { path, message } of [...problems, ...reading.warnings])
      this.#notes.warn(path, message);
    return isProblem(reading) ? undefined : reading.value;
  }

  #below(step: string | number, value: unknown): Cursor {
    return new Cursor(value, () => pathTo(this.path, step), this.#notes, this.#mode);
  }

  #with(mode: Mode): Cursor {
    return new Cursor(this.#value, this.#pathOf, this.#notes, mode);
  }

  #note({ path, message }: Problem): void {
    if (this.#mode.isLenient) this.#notes.warn(path, message);
    else this.#notes.refuse(path, message);
  }

  #object(): Readonly<Record<string, unknown>> | undefined {
    if (isObject(this.#value)) return this.#value;
    if (this.isPresent) this.#expected('an object');
    return undefined;
  }

  #expected(what: string): undefined {
    this.refuse(`must be ${what}, not ${describe(this.#value)}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `spec.local.v4pools[0]`, but `metadata.annotations[purelb.io/addresses]`. */
function pathTo(parent: string, step: string | number): string {
  if (typeof step === 'number') return `${parent}[${step}]`;
  if (!/^\w{1,64}$/.test(step)) return `${parent}[${abbreviate(step)}]`;
  return parent === '' ? step : `${parent}.${step}`;
}

function addNote(notes: Problem[], note: Problem): void {
  const isSaid = notes.some(({ path, message }) => path === note.path && message === note.message);
  if (!isSaid && notes.length < mostNotes) notes.push(note);
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `"${abbreviate(value)}"`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : String(value);
}

function describeUnknown(name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return `is not a field that we know${meant === undefined ? '' : `: did you mean ${meant}?`}`;
}
