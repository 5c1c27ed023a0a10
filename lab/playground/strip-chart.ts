/** Packets over time in one line: a column per tick, as high as the share that was answered, red where some were lost. */

import type { Line, Span, Style } from './styled-text.ts';

/** What a tick's packets became. */
export interface Tick {
  readonly sent: number;
  readonly answered: number;
}

const heights = [...'▁▂▃▄▅▆▇█'];

/** The latest ticks, the newest on the right. */
export function stripChart(ticks: readonly Tick[], width: number): Line {
  const shown = ticks.slice(-width);
  const lead = ' '.repeat(Math.max(0, width - shown.length));
  return join([{ text: lead, style: 'plain' }, ...shown.map(column)]);
}

function column({ sent, answered }: Tick): Span {
  if (sent === 0) return { text: ' ', style: 'plain' };
  if (answered === 0) return { text: '×', style: 'bad' };
  const share = Math.min(1, answered / sent);
  // Only what was answered whole reaches the top.
  const height = Math.floor(share * (heights.length - 1));
  return { text: heights[height] ?? '█', style: styleOf(share) };
}

function styleOf(share: number): Style {
  return share >= 1 ? 'good' : 'bad';
}

/** Neighbours of one style become one span: thousands of escape codes would slow a terminal down. */
function join(spans: readonly Span[]): Line {
  const joined: Span[] = [];
  for (const { text, style } of spans) {
    const last = joined.at(-1);
    if (last?.style === style) joined[joined.length - 1] = { text: last.text + text, style };
    else if (text !== '') joined.push({ text, style });
  }
  return joined;
}
