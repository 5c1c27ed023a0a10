/**
 * The tables of fields in the reference pages. A page marks where one belongs, such as
 * `<!-- fields ServiceGroup spec.{local,remote}.v4pools[] -->`; it has the fields below that place which no longer mark
 * of the page has, and alternatives in braces must have the same fields.
 */

import type { Field } from './crd-fields.ts';

interface Mark {
  readonly kind: string;
  readonly base: string;
}

const markPattern = /^<!-- fields (\w+) (\S+) -->\n(?:\n(?:\|.*\n)+)?/gm;

/** The page with each table as the fields say. */
export function renderFieldTables(page: string, fields: readonly Field[]): string {
  const marks = [...page.matchAll(markPattern)].map(toMark);
  return page.replace(markPattern, (_, kind: string, base: string) => {
    const rows = rowsOf({ kind, base }, marks, fields);
    const head = ['| field | type | default | meaning |', '|---|---|---|---|'];
    return `<!-- fields ${kind} ${base} -->\n\n${[...head, ...rows].join('\n')}\n`;
  });
}

/** The fields that the page's marks cover. */
export function coveredFields(page: string, fields: readonly Field[]): readonly Field[] {
  const marks = [...page.matchAll(markPattern)].map(toMark);
  return marks.flatMap((mark) =>
    expand(mark.base).flatMap((base) => fieldsBelow(base, mark, marks, fields)),
  );
}

function toMark([, kind = '', base = '']: RegExpMatchArray): Mark {
  return { kind, base };
}

function rowsOf(mark: Mark, marks: readonly Mark[], fields: readonly Field[]): readonly string[] {
  const [first = [], ...others] = expand(mark.base).map((base) =>
    fieldsBelow(base, mark, marks, fields).map((field) =>
      renderRow({ ...field, path: `${mark.base}${field.path.slice(base.length)}` }),
    ),
  );
  const odd = others.find((rows) => rows.join() !== first.join());
  if (odd !== undefined) throw new Error(`the alternatives of ${mark.base} differ`);
  if (first.length === 0) throw new Error(`there is no field below ${mark.kind} ${mark.base}`);
  return first;
}

function fieldsBelow(
  base: string,
  { kind }: Mark,
  marks: readonly Mark[],
  fields: readonly Field[],
): readonly Field[] {
  const deeper = marks
    .filter((mark) => mark.kind === kind)
    .flatMap(({ base: other }) => expand(other))
    .filter((other) => other.length > base.length);
  return fields.filter(
    (field) =>
      field.kind === kind &&
      field.path.startsWith(`${base}.`) &&
      !deeper.some((other) => field.path.startsWith(`${other}.`)),
  );
}

/** `a.{b,c}.d` → `a.b.d`, `a.c.d`. */
function expand(base: string): readonly string[] {
  const [whole, alternatives] = /\{([^}]+)\}/.exec(base) ?? [];
  if (whole === undefined || alternatives === undefined) return [base];
  return alternatives.split(',').flatMap((word) => expand(base.replace(whole, word)));
}

function renderRow(field: Field): string {
  const { path, type, about } = field;
  const [kind = '', ...rest] = type.split(', ');
  const words = kind.split(' | ');
  const choice = words.length === 1 ? words : words.map((word) => `\`${word}\``);
  const written = [...choice, ...rest].join(', ');
  return `| \`${path}\` | ${written} | ${renderDefault(field)} | ${about} |`;
}

function renderDefault({ default: defaults, versions }: Field): string {
  const texts = Object.entries(defaults).map(([version, value]) => ({
    version,
    text: `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``,
  }));
  const isSame = new Set(texts.map(({ text }) => text)).size === 1;
  if (isSame && texts.length === versions.length) return texts[0]?.text ?? '';
  return texts.map(({ version, text }) => `${text} (${version})`).join(', ');
}
