import type { KubeObject } from '../model/kube-object.ts';
import { ApiError } from './api-error.ts';
import type { Projection } from './cluster.ts';
import { LineSplitter } from './line-splitter.ts';
import { TransportError } from './transport.ts';
import { decodeWatchEvent, type WatchEvent } from './watch-event.ts';

/** etcd takes 1.5 MiB an object; its JSON may need several bytes for one of those. */
const longestLine = 16 * 1024 * 1024;

/**
 * The events of a watch, as many at a time as came together. A line that cannot be read ends the stream with an
 * error, after the events before it: skipping it would lose a change without a trace.
 */
export async function* decodeWatchStream<T extends KubeObject>(
  body: AsyncIterable<Uint8Array>,
  operation: string,
  project: Projection<T>,
): AsyncGenerator<readonly WatchEvent<T>[]> {
  const splitter = new LineSplitter(longestLine);
  for await (const chunk of body) {
    const { events, failure } = decodeChunk(splitter, chunk, (line) =>
      decodeWatchEvent(line, operation, project),
    );
    if (events.length > 0) yield events;
    if (failure !== undefined) throw toError(failure, operation);
  }
  if (splitter.pending > 0) throw new TransportError('reset', 'the watch ended within a line');
}

function decodeChunk<E>(splitter: LineSplitter, chunk: Uint8Array, decode: (line: string) => E) {
  const events: E[] = [];
  try {
    for (const line of splitter.push(chunk)) events.push(decode(line.toString('utf8')));
    return { events };
  } catch (failure) {
    return { events, failure };
  }
}

function toError(failure: unknown, operation: string): unknown {
  if (!(failure instanceof SyntaxError)) return failure;
  const message = `an event cannot be read: ${failure.message}`;
  return new ApiError({
    code: 'malformed',
    operation,
    message,
    outcome: 'not-done',
    cause: failure,
  });
}
