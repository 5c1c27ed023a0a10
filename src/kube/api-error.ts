/** What went wrong with one call to the API server, and whether it may have been carried out nevertheless. */

import type { TransportError } from './transport.ts';

export type ApiErrorCode =
  /** The server answered with an error. */
  | 'refused'
  /** No connection came about. */
  | 'unreachable'
  /** The connection died, or fell silent, before the answer was complete. */
  | 'interrupted'
  /** The answer was not what the API promises. */
  | 'malformed';

export interface ApiCause {
  readonly reason?: string;
  readonly message?: string;
  /** Path of the field that is wrong. */
  readonly field?: string;
}

/** The fields of a `Status` object that matter to a client. */
export interface ApiStatus {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly ApiCause[];
  };
}

export interface ApiErrorFields {
  readonly code: ApiErrorCode;
  /** Verb and object, such as `patch services/status web/shop`. */
  readonly operation: string;
  readonly message: string;
  /** HTTP status, if the server answered. */
  readonly status?: number;
  /** Machine-readable reason from the Status object, such as `AlreadyExists`. */
  readonly reason?: string;
  readonly causes?: readonly ApiCause[];
  readonly retryAfterMs?: number;
  readonly outcome: 'not-done' | 'unknown';
  readonly cause?: unknown;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ApiErrorCode;
  readonly operation: string;
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly causes: readonly ApiCause[];
  readonly retryAfterMs: number | undefined;
  /** `unknown`: a write may or may not have been carried out; read before trying again. */
  readonly outcome: 'not-done' | 'unknown';

  constructor(fields: ApiErrorFields) {
    super(`${fields.operation}: ${fields.message}`, { cause: fields.cause });
    this.code = fields.code;
    this.operation = fields.operation;
    this.status = fields.status;
    this.reason = fields.reason;
    this.causes = fields.causes ?? [];
    this.retryAfterMs = fields.retryAfterMs;
    this.outcome = fields.outcome;
  }
}

/** An answer with an error status. `retryAfter` is the header's value. */
export function refusal(
  operation: string,
  status: number,
  body: ApiStatus,
  retryAfter?: string,
): ApiError {
  const reason = body.reason === '' ? undefined : body.reason;
  const retryAfterMs = parseRetryAfter(retryAfter, body.details?.retryAfterSeconds);
  const head = reason === undefined ? `${status}` : `${status} ${reason}`;
  return new ApiError({
    code: 'refused',
    operation,
    status,
    message: body.message === undefined ? head : `${head}: ${body.message}`,
    ...(reason === undefined ? {} : { reason }),
    causes: body.details?.causes ?? [],
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    // A server that ran into a fault or its own time limit may have written before; a refusal at the door has not.
    outcome: status >= 500 && status !== 501 && status !== 503 ? 'unknown' : 'not-done',
  });
}

/** Only whole seconds: the API server sends no dates, and theirs would be another machine's clock. */
function parseRetryAfter(header: string | undefined, seconds: number | undefined) {
  if (header !== undefined && /^\d{1,9}$/.test(header)) return Number(header) * 1000;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}

/** A fault below HTTP. A read that failed so changed nothing; a write that was sent may have. */
export function brokenExchange(
  operation: string,
  error: TransportError,
  isWrite: boolean,
): ApiError {
  const wasSent = error.code !== 'connect';
  const code = error.code === 'oversize' ? 'malformed' : 'interrupted';
  return new ApiError({
    code: wasSent ? code : 'unreachable',
    operation,
    message: error.message,
    outcome: wasSent && isWrite ? 'unknown' : 'not-done',
    cause: error,
  });
}

function hasStatus(error: unknown, status: number, ...reasons: readonly string[]): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.reason !== undefined && reasons.includes(error.reason)) return true;
  return error.status === status && reasons.length === 0;
}

export const isNotFound = (error: unknown): boolean => hasStatus(error, 404);
/** Somebody else wrote first, or it is not the object that the write was bound to. */
export const isConflict = (error: unknown): boolean =>
  (hasStatus(error, 409) && !isAlreadyExists(error)) || isOtherObject(error);
export const isAlreadyExists = (error: unknown): boolean => hasStatus(error, 409, 'AlreadyExists');
/** The version or continue token asked for is no longer kept. */
export const isGone = (error: unknown): boolean =>
  hasStatus(error, 410) || hasStatus(error, 410, 'Expired', 'Gone');
export const isInvalid = (error: unknown): boolean => hasStatus(error, 422);
export const isForbidden = (error: unknown): boolean => hasStatus(error, 403);
export const isUnauthorized = (error: unknown): boolean => hasStatus(error, 401);
export const isThrottled = (error: unknown): boolean => hasStatus(error, 429);
/** The server's history does not reach as far as the version asked for: it was restored from a backup. */
export const isFromTheFuture = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.causes.some(({ reason }) => reason === 'ResourceVersionTooLarge');
/** Nothing is created in a namespace that is being deleted. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  error instanceof ApiError && error.causes.some(({ reason }) => reason === 'NamespaceTerminating');
/** The write may have been carried out although it failed: read before trying again. */
export const isAmbiguous = (error: unknown): boolean =>
  error instanceof ApiError && error.outcome === 'unknown';

/** A patch with another uid than the object's is refused as if it wanted to change the uid (seen on 1.36). */
function isOtherObject(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 422) return false;
  return error.causes.some(({ field }) => field === 'metadata.uid');
}
