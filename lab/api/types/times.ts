/** The two forms of time in the API: whole seconds, and exactly six digits of a second. */

import { timestamp } from '../api-object.ts';
import { DecodeError } from './decode-error.ts';

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const micro = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\.(\d{6})(Z|[+-]\d{2}:\d{2})$/;

export function decodeTime(text: string): string {
  const epoch = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(epoch)) throw unreadable(text, '2006-01-02T15:04:05Z07:00');
  return timestamp(epoch);
}

/** A time from `toISOString()` has three digits and is refused. */
export function decodeMicroTime(text: string): string {
  const match = micro.exec(text);
  const epoch = match === null ? Number.NaN : Date.parse(text);
  if (Number.isNaN(epoch)) throw unreadable(text, '2006-01-02T15:04:05.000000Z07:00');
  return timestamp(epoch).replace('Z', `.${match?.[2]}Z`);
}

function unreadable(text: string, layout: string): DecodeError {
  return new DecodeError(`parsing time ${JSON.stringify(text)} as "${layout}": cannot parse`);
}
