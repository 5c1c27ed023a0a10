import type { ApiObject } from '../api-object.ts';
import { isJsonObject, textAt, valueAt } from '../json.ts';
import { column, type Layout, nameColumn, nameOf, wide } from './column.ts';
import { since } from './human-duration.ts';

/** Of the older form; the newer one is shown in it. */
export const eventLayout: Layout = {
  columns: [
    ...['Last Seen', 'Type', 'Reason', 'Object'].map((name) => column(name)),
    wide('Subobject'),
    wide('Source'),
    column('Message'),
    wide('First Seen'),
    wide('Count'),
    { ...nameColumn, priority: 1 },
  ],
  cells: (event, now) => {
    const first = since(textAt(event, 'firstTimestamp') || textAt(event, 'eventTime'), now);
    return [
      lastSeen(event, now) ?? first,
      textAt(event, 'type'),
      textAt(event, 'reason'),
      targetOf(event),
      textAt(event, 'involvedObject', 'fieldPath'),
      sourceOf(event),
      textAt(event, 'message').trim(),
      first,
      Number(valueAt(event, 'series', 'count') ?? event['count'] ?? 0) || 1,
      nameOf(event),
    ];
  },
};

function lastSeen(event: ApiObject, now: number): string | undefined {
  const { series } = event;
  if (isJsonObject(series)) return since(textAt(series, 'lastObservedTime'), now);
  const last = textAt(event, 'lastTimestamp');
  return last === '' ? undefined : since(last, now);
}

function targetOf(event: ApiObject): string {
  const kind = textAt(event, 'involvedObject', 'kind').toLowerCase();
  const name = textAt(event, 'involvedObject', 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceOf(event: ApiObject): string {
  const component = textAt(event, 'source', 'component') || textAt(event, 'reportingComponent');
  const host = textAt(event, 'source', 'host') || textAt(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
}
