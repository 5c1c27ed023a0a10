/** Lines of text with styles, which know their width: what a terminal shows, before it is one. */

export type Style = 'plain' | 'bold' | 'dim' | 'good' | 'bad' | 'warn' | 'accent' | 'bar';

export interface Span {
  readonly text: string;
  readonly style: Style;
}

export type Line = readonly Span[];

/** `line('on ', ['node1', 'bold'])`. Every character is one column wide: names and addresses are. */
export function line(...parts: readonly (string | readonly [text: string, style: Style])[]): Line {
  return parts.map((part) =>
    typeof part === 'string' ? { text: part, style: 'plain' } : { text: part[0], style: part[1] },
  );
}

/** Above a part of the screen. */
export function heading(text: string): Line {
  return line([` ${text}`, 'dim']);
}

export function widthOf(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + [...text].length, 0);
}

/** Exactly so wide: filled with blanks, or cut with an ellipsis. */
export function fit(spans: Line, width: number): Line {
  const missing = width - widthOf(spans);
  if (missing >= 0) return missing === 0 ? spans : [...spans, blanks(missing, spans.at(-1))];
  const kept: Span[] = [];
  let room = width - 1;
  for (const { text, style } of spans) {
    const part = [...text].slice(0, room).join('');
    if (part !== '') kept.push({ text: part, style });
    room -= [...part].length;
  }
  return width <= 0 ? [] : [...kept, { text: '…', style: 'dim' }];
}

function blanks(count: number, last: Span | undefined): Span {
  return { text: ' '.repeat(count), style: last?.style === 'bar' ? 'bar' : 'plain' };
}

const codes: Readonly<Record<Style, string>> = {
  plain: '',
  bold: '1',
  dim: '2',
  good: '32',
  bad: '1;31',
  warn: '33',
  accent: '36',
  bar: '7',
};

export function toText(spans: Line, isColoured: boolean): string {
  return spans
    .map(({ text, style }) =>
      isColoured && codes[style] !== '' ? `\x1b[${codes[style]}m${text}\x1b[0m` : text,
    )
    .join('');
}

/** Lines in columns, each as wide as its widest cell; the last one is not filled up, empty ones take no room. */
export function alignColumns(rows: readonly (readonly Line[])[]): readonly Line[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
    }
  }
  const gap: Span = { text: '  ', style: 'plain' };
  return rows.map((row) =>
    row.flatMap((cell, index) =>
      index === row.length - 1 || widths[index] === 0
        ? cell
        : [...fit(cell, widths[index] ?? 0), gap],
    ),
  );
}
