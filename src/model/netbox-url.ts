/** Where a Netbox answers, however people write it. */

import { abbreviate } from './ip.ts';
import { isProblem, type Parsed, problem } from './parsed.ts';

/** `https://netbox.example`, with a base path if there is one, without `/api` and without a slash at the end. */
export function parseNetboxUrl(text: string, path = ''): Parsed<string> {
  const url = text.length <= 512 ? URL.parse(text.trim()) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return problem(path, describe(text));
  if (url.username !== '' || url.password !== '') {
    return problem(path, 'leave out user and password: the token comes from tokenSecretRef');
  }
  if (url.search !== '' || url.hash !== '') {
    return problem(path, `"${abbreviate(text)}" has more than a path: write ${baseOf(url)}`);
  }
  return { value: baseOf(url) };
}

function baseOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`.replace(/\/+$/, '').replace(/\/api$/, '');
}

function describe(text: string): string {
  const written = `"${abbreviate(text)}" is not a URL`;
  if (!/^[\w.-]+(:\d+)?(\/[\w./-]*)?$/.test(text))
    return `${written} such as https://netbox.example`;
  const guess = parseNetboxUrl(`https://${text}`);
  return isProblem(guess) ? written : `${written}: did you mean ${guess.value}?`;
}
