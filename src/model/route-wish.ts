/** What people ask, by annotation of a Service, for the routes to its addresses. */

import { routeAnnotations as names } from './annotations.ts';
import { sortedCommunities } from './bgp-path.ts';
import { parseCommunity, parseLargeCommunity, spellCommunity } from './community.ts';
import type { Cursor } from './cursor.ts';
import { abbreviate } from './ip.ts';
import { isProblem, type Parsed, type Problem, problem, problemsOf } from './parsed.ts';

export interface RouteWish {
  /** By their numbers, sorted. */
  readonly communities: readonly string[];
  readonly largeCommunities: readonly string[];
  /** How often our own number comes again in the AS path. */
  readonly prepends: number;
  readonly med: number | undefined;
  readonly localPreference: number | undefined;
  /** What of it cannot be read; the rest counts. */
  readonly problems: readonly Problem[];
}

export function readRouteWish(annotations: Cursor): RouteWish | undefined {
  const at = annotations.fields(...Object.values(names));
  if (Object.values(at).every(({ isPresent }) => !isPresent)) return undefined;
  const lists = at[names.communities].apart((cursor) => cursor.parse(parseList));
  const numbers = [names.asPathPrepend, names.med, names.localPref].map((name) =>
    at[name].apart((cursor) => cursor.parse(parseNumber)),
  );
  const texts = isProblem(lists) ? [] : (lists.value ?? []);
  const isLarge = (text: string) => text.split(':').length === 3;
  const [prepends, med, localPreference] = numbers.map((one) =>
    isProblem(one) ? undefined : one.value,
  );
  return {
    communities: sortedCommunities(texts.filter((text) => !isLarge(text)).map(spellCommunity)),
    largeCommunities: sortedCommunities(texts.filter(isLarge)),
    prepends: prepends ?? 0,
    med,
    localPreference,
    problems: [lists, ...numbers].flatMap((one) => problemsOf(one)),
  };
}

function parseList(text: string, path: string): Parsed<readonly string[]> {
  const parsed = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) =>
      part.split(':').length === 3 ? parseLargeCommunity(part, path) : parseCommunity(part, path),
    );
  const problems = parsed.flatMap((one) => problemsOf(one));
  if (problems.length > 0) return { problems };
  return { value: parsed.flatMap((one) => (isProblem(one) ? [] : [one.value])) };
}

function parseNumber(text: string, path: string): Parsed<number> {
  const written = text.trim();
  if (/^\d{1,10}$/.test(written) && Number(written) <= 4_294_967_295) {
    return { value: Number(written) };
  }
  return problem(path, `"${abbreviate(text)}" is not a number from 0 to 4294967295`);
}
