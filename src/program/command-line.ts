/** Flags and environment → values. What cannot be carried out is refused with what to write instead. */

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { durationWithin } from '../model/duration.ts';
import { nearest } from '../model/nearest.ts';
import { isProblem } from '../model/parsed.ts';
import { type Level, levels, parseLevel } from '../runtime/log.ts';

/** What the user wrote cannot be carried out; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'USAGE';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** With one dash or two, as the original takes them; `--no-x` switches `x` off. */
export function parseFlags<const T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  flags: T,
) {
  const longForms = args.map(toLongForm);
  try {
    return parseArgs({ args: longForms, options: flags, allowNegative: true }).values;
  } catch (error) {
    throw new UsageError(describe(error, Object.keys(flags)));
  }
}

function toLongForm(arg: string): string {
  return /^-[a-z][a-z-]+(=|$)/.test(arg) ? `-${arg}` : arg;
}

/** Node's own text goes on to advise what is of no use here. */
function describe(error: unknown, known: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, unknown] = /^Unknown option '(?:--?)([^']+)'/.exec(message) ?? [];
  if (unknown === undefined) return message.split('. ')[0] ?? message;
  const meant = nearest(unknown, known);
  const hint = meant === undefined ? '' : `: did you mean --${meant}?`;
  return `unknown flag --${unknown}${hint}`;
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port ${text}: write a number from 0 to 65535`);
}

/** In the environment, as with the original, what cannot be read counts as absent. */
export function readLevel(flag: string | undefined, env: string | undefined): Level {
  if (flag === undefined) return parseLevel(env);
  const level = levels.find((each) => each === flag.toLowerCase());
  if (level !== undefined) return level;
  throw new UsageError(`--log-level ${flag}: write one of ${levels.join(', ')}`);
}

/** Milliseconds. */
export function readLeaseDuration(text: string): number {
  const parsed = durationWithin('2s', '10m')(text);
  if (!isProblem(parsed)) return parsed.value;
  throw new UsageError(`--lease-duration: ${parsed.problems[0]?.message}`);
}

/** Of the running program; empty for none. */
export function readStateSocket(flag: string | undefined, env: Environment, usual: string): string {
  return (flag ?? env['PURELB_STATE_SOCKET'] ?? usual).trim();
}
