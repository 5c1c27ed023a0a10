/** Regular expressions on interface names, written in Go's dialect (RE2), which our users' objects are in. */

import { abbreviate } from './ip.ts';
import { type Parsed, problem } from './parsed.ts';

const longestText = 256;

const classes: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-\\/:-@[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

/** Matches anywhere in a name, as Go's MatchString does. */
export function parseLinkPattern(text: string, path = ''): Parsed<RegExp> {
  const refused = findUnsupported(text);
  if (refused !== undefined) return problem(path, `"${abbreviate(text)}" ${refused}`);
  const { source, flags } = translate(text);
  try {
    return { value: new RegExp(source, flags) };
  } catch {
    return problem(
      path,
      `"${abbreviate(text)}" is not a regular expression such as ^(eth|ens)[0-9]+$`,
    );
  }
}

/** Whether it can only match whole names; otherwise `eth` is also found in `veth0`. */
export function isAnchored({ source }: RegExp): boolean {
  return source.startsWith('^') && source.endsWith('$');
}

/** RE2 has neither, which is why it never takes exponential time; nor do patterns for it need them. */
function findUnsupported(text: string): string | undefined {
  if (text.length > longestText) return `is longer than ${longestText} characters`;
  if (/\(\?<?[=!]/.test(text)) return 'looks around: write a pattern without (?= and (?!';
  if (/\\[1-9]/.test(text)) return 'refers back to a group: write a pattern without \\1';
  return undefined;
}

function translate(text: string): { readonly source: string; readonly flags: string } {
  const [, letters = '', rest = text] = /^\(\?([imsU]+)\)(.*)$/s.exec(text) ?? [];
  const source = rest
    .replace(/\[:(\w+):\]/g, (whole, name: string) => classes[name] ?? whole)
    .replace(/\(\?P</g, '(?<')
    .replace(/\\A/g, '^')
    .replace(/\\z/g, '$');
  return { source, flags: [...new Set(letters.replace('U', ''))].join('') };
}
