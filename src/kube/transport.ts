/** The seam below which HTTP happens: a simulated API server takes the place of sockets here. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface TransportRequest {
  readonly method: Method;
  /** Absolute path with its query, such as `/api/v1/services?limit=100`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Belongs to this one request. When it is aborted, the exchange or its body rejects with the reason, at once. */
  readonly signal: AbortSignal;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: ResponseBody;
}

/**
 * To be read once. Calls back with each chunk as it comes and resolves at the end; what the callback throws ends the
 * exchange and is passed on. Chunks are handed over at once, not queued, so that each is garbage before the next
 * comes: with a queue a list of 10,000 Services left 6 MB behind for good (measured).
 */
export type ResponseBody = (onChunk: (chunk: Uint8Array) => void) => Promise<void>;

export interface Transport {
  /** Resolves when status and headers are there. Sends at once: queues and time limits are above this seam. */
  exchange(request: TransportRequest): Promise<TransportResponse>;
}

export type TransportFault =
  /** No connection, or no trust in who answered: nothing was sent. */
  | 'connect'
  /** The connection ended before the answer did. */
  | 'reset'
  /** Nothing was heard for too long. */
  | 'silence'
  /** The answer is larger than anything we expect. */
  | 'oversize';

export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportFault;
  /** The connection had carried an exchange before, so the server may simply have closed it as idle. */
  readonly wasReused: boolean;

  constructor(
    code: TransportFault,
    message: string,
    { cause, wasReused = false }: { readonly cause?: unknown; readonly wasReused?: boolean } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.wasReused = wasReused;
  }
}
