import type { KubeObject } from '../model/kube-object.ts';
import { ApiError } from './api-error.ts';
import type { Projection } from './cluster.ts';
import { LineSplitter } from './line-splitter.ts';
import { type ResponseBody, TransportError } from './transport.ts';
import { decodeWatchEvent, type WatchEvent } from './watch-event.ts';

/** etcd takes 1.5 MiB an object; its JSON may need several bytes for one of those. */
const longestLine = 16 * 1024 * 1024;

/**
 * Reads a watch to its end and calls back with its events, as many at a time as came together. A line that cannot be
 * read ends the watch with an error, after the events before it: skipping it would lose a change without a trace.
 */
export async function readWatchStream<T extends KubeObject>(
  body: ResponseBody,
  operation: string,
  project: Projection<T>,
  onEvents: (events: readonly WatchEvent<T>[]) => void,
): Promise<void> {
  const splitter = new LineSplitter(longestLine);
  const decode = (line: Buffer) => decodeWatchEvent(line, operation, project);
  await body((chunk) => {
    const { events, failure } = decodeAll(splitter.push(chunk), decode);
    if (events.length > 0) onEvents(events);
    if (failure !== undefined) throw unreadable(failure, operation);
  });
  if (splitter.pending > 0) throw new TransportError('reset', 'the watch ended within a line');
}

function decodeAll<E>(lines: readonly Buffer[], decode: (line: Buffer) => E) {
  const events: E[] = [];
  try {
    for (const line of lines) events.push(decode(line));
    return { events };
  } catch (failure) {
    return { events, failure };
  }
}

function unreadable(failure: unknown, operation: string): unknown {
  if (!(failure instanceof SyntaxError)) return failure;
  const message = `an event cannot be read: ${failure.message}`;
  const outcome = 'not-done';
  return new ApiError({ code: 'malformed', operation, message, outcome, cause: failure });
}
