/** BGP communities (RFC 1997) and large communities (RFC 8092), in the text that people write. */

import { abbreviate } from './ip.ts';
import { type Parsed, problem } from './parsed.ts';

const wellKnown: readonly string[] = [
  'graceful-shutdown',
  'accept-own',
  'llgr-stale',
  'no-llgr',
  'blackhole',
  'no-export',
  'no-advertise',
  'no-export-subconfed',
  'no-peer',
];

/** `65000:100`, or a name that everyone knows. */
export function parseCommunity(text: string, path = ''): Parsed<string> {
  if (areNumbers(text, { count: 2, largest: 65_535 }) || wellKnown.includes(text))
    return { value: text };
  return problem(path, `"${abbreviate(text)}" is not a community such as 65000:100 or no-export`);
}

/** `4200000000:1:2`. */
export function parseLargeCommunity(text: string, path = ''): Parsed<string> {
  if (areNumbers(text, { count: 3, largest: 4_294_967_295 })) return { value: text };
  return problem(path, `"${abbreviate(text)}" is not a large community such as 64512:1:2`);
}

/** Route distinguishers, route targets and extended communities: `64512:100`, `192.0.2.1:100`, with a kind in front. */
export function parseRouteTarget(text: string, path = ''): Parsed<string> {
  const bare = text.replace(/^(rt|soo):/, '');
  const [admin = '', assigned = '', ...rest] = bare.split(':');
  const isAdmin = /^(\d{1,10}|\d{1,3}(\.\d{1,3}){3})$/.test(admin);
  if (isAdmin && /^\d{1,10}$/.test(assigned) && rest.length === 0) return { value: text };
  return problem(path, `"${abbreviate(text)}" must be written like 64512:100 or 192.0.2.1:100`);
}

function areNumbers(
  text: string,
  { count, largest }: { readonly count: number; readonly largest: number },
): boolean {
  const parts = text.length <= 40 ? text.split(':') : [];
  return (
    parts.length === count &&
    parts.every((part) => /^\d{1,10}$/.test(part) && Number(part) <= largest)
  );
}
