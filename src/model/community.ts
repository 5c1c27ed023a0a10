/** BGP communities (RFC 1997) and large communities (RFC 8092), in the text that people write. */

import { abbreviate } from './ip.ts';
import { type Parsed, problem } from './parsed.ts';

/** As IANA has registered them. */
const wellKnown: ReadonlyMap<string, string> = new Map([
  ['graceful-shutdown', '65535:0'],
  ['accept-own', '65535:1'],
  ['llgr-stale', '65535:6'],
  ['no-llgr', '65535:7'],
  ['blackhole', '65535:666'],
  ['no-export', '65535:65281'],
  ['no-advertise', '65535:65282'],
  ['no-export-subconfed', '65535:65283'],
  ['no-peer', '65535:65284'],
]);

/** `65000:100`, or a name that everyone knows. */
export function parseCommunity(text: string, path = ''): Parsed<string> {
  if (areNumbers(text, { count: 2, largest: 65_535 }) || wellKnown.has(text))
    return { value: text };
  return problem(path, `"${abbreviate(text)}" is not a community such as 65000:100 or no-export`);
}

/** The numbers of one that was written by its name. */
export function spellCommunity(text: string): string {
  return wellKnown.get(text) ?? text;
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
