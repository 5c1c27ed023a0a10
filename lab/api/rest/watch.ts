import { expired } from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import type { ChunkSink, ChunkStream } from '../api-request.ts';
import { apiVersionOf, type Resource } from '../resource.ts';
import type { Change } from '../store/store.ts';
import { renderTable, type TableWish } from '../tables/table.ts';
import { decodeTyped } from '../types/decode-typed.ts';
import { type Core, type Scope, viewOf } from './core.ts';
import { encodeObject } from './encode.ts';
import { type ListOptions, parseRevision, readListOptions } from './list-options.ts';
import { type ObjectFilter, readFilter } from './object-filter.ts';

const bookmarkEveryMs = 60_000;
/** The last bookmark comes this long before the watch ends, so that its successor need not repeat anything. */
const lastBookmarkMs = 2000;
const shortestDefaultSeconds = 1800;

/** A stream of event lines: from a revision on, or from the present state. */
export function watchObjects(
  core: Core,
  scope: Scope,
  query: URLSearchParams,
  table?: TableWish,
): ChunkStream {
  const options = readListOptions(query, true);
  const filter = readFilter(scope, query);
  const { resourceVersion } = options;
  const from = resourceVersion === '' ? 0 : parseRevision(resourceVersion);
  const watch = { core, resource: scope.resource, filter, options, from, table };
  return (sink) => new Watch(watch, sink).start();
}

interface WatchParts {
  readonly core: Core;
  readonly resource: Resource;
  readonly filter: ObjectFilter;
  readonly options: ListOptions;
  readonly from: number;
  readonly table: TableWish | undefined;
}

class Watch {
  readonly #parts: WatchParts;
  readonly #sink: ChunkSink;
  readonly #cleanups: (() => void)[] = [];
  #isStopped = false;
  #hasHeader = true;
  #endsAt = Infinity;

  constructor(parts: WatchParts, sink: ChunkSink) {
    this.#parts = parts;
    this.#sink = sink;
  }

  start(): () => void {
    const { core, resource, options } = this.#parts;
    const seconds = options.timeoutSeconds || this.#defaultSeconds();
    this.#endsAt = core.clock.monotonic() + seconds * 1000;
    this.#later(seconds * 1000, () => this.#end());
    if (this.#sendBeginning()) {
      const collection = core.store.collection(resource.collection);
      this.#cleanups.push(collection.subscribe((change) => this.#sendChange(change)));
      if (options.allowsBookmarks) this.#sendBookmarks();
    }
    return () => this.#stop();
  }

  #defaultSeconds(): number {
    return shortestDefaultSeconds + this.#parts.core.identities.pick(shortestDefaultSeconds);
  }

  /** The present state, or what happened since the revision asked for; false when that is forgotten. */
  #sendBeginning(): boolean {
    const { core, resource, options, from } = this.#parts;
    const wantsState = options.sendsInitialEvents ?? from === 0;
    if (wantsState) {
      this.#sendState(options);
    } else if (from > 0 && from < core.store.compacted) {
      this.#sendExpired(from);
      return false;
    } else if (from > 0) {
      const changes = core.store.collection(resource.collection).changesAfter(from);
      for (const change of changes) this.#sendChange(change);
    }
    return true;
  }

  #sendState({ sendsInitialEvents, allowsBookmarks }: ListOptions): void {
    const { core, resource, filter } = this.#parts;
    const collection = core.store.collection(resource.collection);
    for (const [, stored] of collection.entries({ prefix: filter.prefix })) {
      const object = viewOf(resource, stored);
      if (filter.matches(object)) this.#send('ADDED', object);
    }
    if (sendsInitialEvents === true && allowsBookmarks) {
      this.#sendBookmark({ 'k8s.io/initial-events-end': 'true' });
    }
  }

  #sendChange(change: Change): void {
    const { resource, filter, from } = this.#parts;
    if (change.revision <= from || !change.key.startsWith(filter.prefix)) return;
    const before = this.#visible(change.previous);
    const now = this.#visible(change.object);
    if (now !== undefined) this.#send(before === undefined ? 'ADDED' : 'MODIFIED', now);
    else if (before !== undefined) this.#send('DELETED', lastState(resource, change));
  }

  #visible(stored: ApiObject | undefined): ApiObject | undefined {
    if (stored === undefined) return undefined;
    const object = viewOf(this.#parts.resource, stored);
    return this.#parts.filter.matches(object) ? object : undefined;
  }

  /** As the real server does after its headers are out: an event, not an HTTP status. */
  #sendExpired(from: number): void {
    const { status } = expired(
      `too old resource version: ${from} (${this.#parts.core.store.compacted})`,
    );
    this.#sink.write(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
    this.#end();
  }

  #sendBookmarks(): void {
    const beforeEnd = this.#endsAt - lastBookmarkMs - this.#parts.core.clock.monotonic();
    if (beforeEnd <= 0) return;
    this.#later(Math.min(bookmarkEveryMs, beforeEnd), () => {
      this.#sendBookmark();
      this.#sendBookmarks();
    });
  }

  #sendBookmark(annotations?: Record<string, string>): void {
    const { core, resource } = this.#parts;
    const bookmark = emptyObject(resource);
    bookmark.metadata = {
      resourceVersion: String(core.store.revision),
      ...(annotations === undefined ? {} : { annotations }),
    };
    this.#send('BOOKMARK', bookmark);
  }

  #send(type: string, object: ApiObject): void {
    this.#sink.write(`{"type":"${type}","object":${this.#encode(object)}}\n`);
  }

  #encode(object: ApiObject): string {
    const { resource, table } = this.#parts;
    if (table === undefined) return encodeObject(object);
    const metadata = { resourceVersion: object.metadata.resourceVersion ?? '' };
    const hasHeader = this.#hasHeader;
    this.#hasHeader = false;
    return renderTable(resource, table, { metadata, objects: [object], hasHeader });
  }

  #later(ms: number, action: () => void): void {
    this.#cleanups.push(this.#parts.core.clock.after(ms, action));
  }

  #end(): void {
    if (this.#isStopped) return;
    this.#stop();
    this.#sink.end();
  }

  #stop(): void {
    this.#isStopped = true;
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
  }
}

/** A deletion shows the object as it last was, under the revision of the deletion. */
function lastState(resource: Resource, { previous, object, revision }: Change): ApiObject {
  const base = viewOf(resource, (previous ?? object) as ApiObject);
  return { ...base, metadata: { ...base.metadata, resourceVersion: String(revision) } };
}

function emptyObject(resource: Resource): ApiObject {
  const { kind, isCustom, schema } = resource;
  const fields = isCustom ? {} : decodeTyped(schema, {}).value;
  return { ...fields, kind, apiVersion: apiVersionOf(resource), metadata: {} };
}
