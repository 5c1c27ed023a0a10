import type { Cursor } from './cursor.ts';
import { durationWithin, parseDuration } from './duration.ts';
import { must } from './parsed.ts';

/** A duration within bounds, in ms; `usual` where none is written. Bounds and default are text, as in the CRDs. */
export function readDuration(
  cursor: Cursor,
  { from, to, usual }: { readonly from: string; readonly to: string; readonly usual: string },
): number {
  return cursor.parse(durationWithin(from, to)) ?? must(parseDuration(usual));
}
