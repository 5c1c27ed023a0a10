/** Points in time as Kubernetes writes them (RFC 3339, up to nanoseconds). */

import { abbreviate } from './ip.ts';
import { type Parsed, problem } from './parsed.ts';

const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** In milliseconds since 1970; finer digits are dropped. */
export function parseTimestamp(text: string, path = ''): Parsed<number> {
  const value = text.length <= 40 && shape.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(value)) return { value };
  return problem(path, `"${abbreviate(text)}" is not a time such as 2026-01-31T12:00:00Z`);
}

/** As Kubernetes writes times: in UTC, without fractions. */
export function formatTimestamp(epochMs: number): string {
  const seconds = Math.floor(epochMs / 1000);
  const days = Math.floor(seconds / 86_400);
  const time = [seconds / 3600, seconds / 60, seconds].map((value, index) =>
    pad(modulo(Math.floor(value), index === 0 ? 24 : 60), 2),
  );
  return `${formatDay(days)}T${time.join(':')}Z`;
}

/** The civil calendar from days since 1970, counted in eras of 400 years that begin in March. */
function formatDay(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leapDays = [1460, 36_524, 146_096].map((length) => Math.floor(dayOfEra / length));
  const [fours = 0, centuries = 0, eras = 0] = leapDays;
  const yearOfEra = Math.floor((dayOfEra - fours + centuries - eras) / 365);
  const yearDay =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * yearDay + 2) / 153);
  const day = yearDay - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
