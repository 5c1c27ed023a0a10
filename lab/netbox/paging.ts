import type { Row } from './tables.ts';

export interface PageSizes {
  readonly pageSize: number;
  readonly mostPerPage: number;
  /** Knows `start`, the newer way. */
  readonly hasCursor: boolean;
}

export interface Page {
  readonly count: number | null;
  readonly next: string | null;
  readonly previous: string | null;
  readonly rows: readonly Row[];
}

/** Addresses of pages are made from the Host header, whatever is in front. */
export function paginate(
  path: string,
  query: URLSearchParams,
  rows: readonly Row[],
  sizes: PageSizes,
): Page {
  const limit = limitOf(query.get('limit'), sizes);
  const link = (name: string, value: number | undefined) => {
    const pairs = [...query].filter(([key]) => key !== name && key !== 'limit');
    pairs.push(['limit', String(limit)]);
    if (value !== undefined) pairs.push([name, String(value)]);
    pairs.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
    const text = new URLSearchParams(pairs).toString().replaceAll('%3A', ':');
    return `http://netbox.example${path}?${text}`;
  };
  const start = query.get('start');
  if (start !== null && sizes.hasCursor) return afterCursor(rows, Number(start), limit, link);
  const offset = Number(query.get('offset') ?? 0);
  const end = offset + limit;
  const before = offset - limit;
  return {
    count: rows.length,
    next: end < rows.length ? link('offset', end) : null,
    previous: offset > 0 ? link('offset', before > 0 ? before : undefined) : null,
    rows: rows.slice(offset, end),
  };
}

function afterCursor(
  all: readonly Row[],
  start: number,
  limit: number,
  link: (name: string, value: number) => string,
): Page {
  const rows = all.toSorted((left, right) => left.id - right.id).filter(({ id }) => id >= start);
  const next = rows[limit];
  return {
    count: null,
    next: next === undefined ? null : link('start', next.id),
    previous: null,
    rows: rows.slice(0, limit),
  };
}

/** 0 is as many as there may be; what is no number is as if nothing had been said. */
function limitOf(text: string | null, { pageSize, mostPerPage }: PageSizes): number {
  const limit = Number(text ?? Number.NaN);
  if (!Number.isInteger(limit) || limit < 0) return pageSize;
  return limit === 0 ? mostPerPage : Math.min(limit, mostPerPage);
}
