/** Durations as Go writes them (`100ms`, `1m30s`), which is how Kubernetes objects carry them. */

import { abbreviate } from './ip.ts';
import { isProblem, must, type Parsed, problem } from './parsed.ts';

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;
const longestText = 64;

/** In milliseconds, negative ones included. */
export function parseDuration(text: string, path = ''): Parsed<number> {
  const value = text.length <= longestText ? milliseconds(text) : undefined;
  if (value !== undefined) return { value };
  return problem(path, `"${abbreviate(text)}" is not a duration${hintFor(text)}`);
}

/** A parser of durations between two, both included. */
export function durationWithin(shortest: string, longest: string) {
  const [min, max] = [must(parseDuration(shortest)), must(parseDuration(longest))];
  return (text: string, path = ''): Parsed<number> => {
    const parsed = parseDuration(text, path);
    if (isProblem(parsed) || (parsed.value >= min && parsed.value <= max)) return parsed;
    const written = abbreviate(text);
    return problem(path, `${written} is out of bounds: write ${shortest} to ${longest}`);
  };
}

/** The shortest way to write it: `90000` is `1m30s`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  const written = [hours && `${hours}h`, minutes && `${minutes}m`, seconds && `${seconds}s`];
  return written.filter((text) => text !== 0).join('');
}

function milliseconds(text: string): number | undefined {
  const isNegative = text.startsWith('-');
  const unsigned = /^[-+]/.test(text) ? text.slice(1) : text;
  if (unsigned === '0') return 0;
  const parts = [...unsigned.matchAll(part)];
  const consumed = parts.reduce((length, match) => length + match[0].length, 0);
  if (parts.length === 0 || consumed !== unsigned.length) return undefined;
  const total = parts.reduce(
    (sum, [, amount = '', unit = '']) => sum + Number(amount) * (unitMs[unit] ?? 0),
    0,
  );
  return isNegative ? -total : total;
}

function hintFor(text: string): string {
  if (/^\d+$/.test(text) && text.length < 10) return `: write its unit, such as ${text}s`;
  return ': write it like 100ms, 30s or 1m30s';
}
