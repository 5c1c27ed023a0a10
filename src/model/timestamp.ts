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
