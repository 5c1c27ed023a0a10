/** What can go wrong between a client and its API server. */

export type Fault =
  /** The answer comes late; other faults may follow. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Refused without being looked at. */
  | { readonly kind: 'status'; readonly code: number; readonly retryAfterSeconds?: number }
  /** The connection breaks before the request is looked at. */
  | { readonly kind: 'reset' }
  /** The request is carried out, then the connection breaks: the client cannot know. */
  | { readonly kind: 'lost-answer' }
  /** Nothing ever comes back, not even headers. */
  | { readonly kind: 'hang' }
  /** The body breaks off after so many bytes, and the connection with it: half a line of a watch. */
  | { readonly kind: 'cut-body'; readonly bytes: number }
  /** The body stops after so many bytes; the connection stays open. */
  | { readonly kind: 'stall-body'; readonly bytes: number }
  /** 200, headers, and the end. */
  | { readonly kind: 'empty-body' }
  /** A watch that begins with an ERROR event and stays open unless `ends`. */
  | { readonly kind: 'error-event'; readonly code: number; readonly ends?: boolean };

/** Which requests; everything that is not said matches. */
export interface FaultMatch {
  readonly user?: string;
  /** As in roles: `get`, `list`, `watch`, `patch`, … */
  readonly verb?: string;
  /** With its subresource: `services/status`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface FaultRule {
  readonly match?: FaultMatch;
  readonly fault: Fault;
  /** How many requests it hits before it is used up; all of them when not said. */
  readonly times?: number;
  /** How many matching requests it lets pass first. */
  readonly after?: number;
  /** From 0 to 1; always when not said. */
  readonly probability?: number;
}

/** How watches that are open end, or do not. */
export type WatchBreak =
  | { readonly how: 'end' }
  | { readonly how: 'reset' }
  /** Open, and silent for ever. */
  | { readonly how: 'stall' }
  | { readonly how: 'half-line' }
  | { readonly how: 'error'; readonly code: number };
