/** The screen as an SVG: to show to others, and for bug reports. */

import { type Line, type Span, type Style, widthOf } from './styled-text.ts';

const columnWidth = 8.43;
const rowHeight = 18;
const margin = 12;
const background = '#14171c';
const colours: Readonly<Record<Style, string>> = {
  plain: '#d6dae0',
  bold: '#ffffff',
  dim: '#7d8694',
  good: '#5fd38d',
  bad: '#ff6b6b',
  warn: '#f2c14e',
  accent: '#5cc8e6',
  bar: background,
};

export function toSvg(lines: readonly Line[]): string {
  const columns = Math.max(0, ...lines.map(widthOf));
  const width = Math.ceil(columns * columnWidth + 2 * margin);
  const height = lines.length * rowHeight + 2 * margin;
  const font = 'font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace"';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${font} font-size="14">`,
    '<title>The PureLB playground in a terminal</title>',
    `<rect width="100%" height="100%" rx="8" fill="${background}"/>`,
    ...lines.map(drawLine),
    '</svg>',
    '',
  ].join('\n');
}

function drawLine(spans: Line, row: number): string {
  const y = margin + (row + 1) * rowHeight - 5;
  let column = 0;
  const drawn = spans.map((span) => {
    const x = margin + column * columnWidth;
    column += [...span.text].length;
    return drawSpan(span, x, y);
  });
  return drawn.join('');
}

/** Each span begins at its own column, so that a font of another width spoils nothing. */
function drawSpan({ text, style }: Span, x: number, y: number): string {
  const length = [...text].length * columnWidth;
  const at = `x="${x.toFixed(1)}" y="${y}"`;
  const bar =
    style === 'bar'
      ? `<rect x="${x.toFixed(1)}" y="${y - rowHeight + 5}" width="${length.toFixed(1)}" height="${rowHeight}" fill="${colours.plain}"/>`
      : '';
  if (text.trim() === '') return bar;
  const weight = style === 'bold' || style === 'bad' ? ' font-weight="bold"' : '';
  const fit = `textLength="${length.toFixed(1)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"`;
  return `${bar}<text ${at} fill="${colours[style]}"${weight} ${fit}>${escapeXml(text)}</text>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
