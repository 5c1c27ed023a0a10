/** What a reflector tells about itself, for logs and metrics. */
export type ReflectorObservation =
  /** The whole state was read: at the start, or again after it expired. */
  | {
      readonly kind: 'synced';
      readonly by: 'stream' | 'list';
      readonly objects: number;
      readonly tookMs: number;
    }
  /** One bunch of changes was applied. */
  | { readonly kind: 'received'; readonly events: number }
  /** A watch is over in good order. */
  | { readonly kind: 'ended'; readonly lastedMs: number; readonly events: number }
  | { readonly kind: 'failed'; readonly error: unknown; readonly retryInMs: number }
  /** What was known is too old, or of another history: everything is read again. */
  | { readonly kind: 'expired' }
  /** The server cannot stream the initial state; from now on pages are read. */
  | { readonly kind: 'unsupported' };

/** Must not throw. */
export type Observe = (observation: ReflectorObservation) => void;
