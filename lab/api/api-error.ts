/** Everything the server refuses is one of these: an HTTP code and the Status object that explains it. */

import { type FieldCause, renderCauses } from './field-cause.ts';
import type { JsonObject } from './json.ts';

export class ApiError extends Error {
  readonly code: number;
  readonly status: JsonObject;
  readonly headers: Readonly<Record<string, string>>;

  constructor(parts: StatusParts, headers: Readonly<Record<string, string>> = {}) {
    super(parts.message);
    this.code = parts.code;
    this.status = failure(parts);
    this.headers = headers;
  }
}

interface StatusParts {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: JsonObject;
  readonly metadata?: JsonObject;
}

/** What a message is about: `services`, or `servicegroups` of the group `purelb.io`. */
export interface Subject {
  readonly group: string;
  readonly plural: string;
}

function failure({ code, reason, message, details, metadata = {} }: StatusParts): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata,
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

export function qualifiedName({ group, plural }: Subject): string {
  return group === '' ? plural : `${plural}.${group}`;
}

export function detailsOf({ group, plural }: Subject, name: string): JsonObject {
  return {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(plural === '' ? {} : { kind: plural }),
  };
}

export function notFound(subject: Subject, name: string): ApiError {
  return new ApiError({
    code: 404,
    reason: 'NotFound',
    message: `${qualifiedName(subject)} "${name}" not found`,
    details: detailsOf(subject, name),
  });
}

/** For paths that no resource answers to. */
export function unknownResource(): ApiError {
  return new ApiError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

export function alreadyExists(subject: Subject, name: string): ApiError {
  return new ApiError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${qualifiedName(subject)} "${name}" already exists`,
    details: detailsOf(subject, name),
  });
}

export const modifiedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again';

export function conflict(subject: Subject, name: string, why: string): ApiError {
  return new ApiError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualifiedName(subject)} "${name}": ${why}`,
    details: detailsOf(subject, name),
  });
}

export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: 'BadRequest', message });
}

/** `kind` is the object's kind here, not its plural. */
export function invalid(
  { group, kind }: { readonly group: string; readonly kind: string },
  name: string,
  causes: readonly FieldCause[],
): ApiError {
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid${renderCauses(causes)}`,
    details: {
      ...detailsOf({ group, plural: kind }, name),
      causes: causes.map(({ reason, message, field }) => ({ reason, message, field })),
    },
  });
}

/** A patch that cannot be carried out on this object. */
export function unprocessable(message: string): ApiError {
  return new ApiError({ code: 422, reason: 'Invalid', message, details: {} });
}

export function forbidden(
  subject: Subject,
  name: string,
  why: string,
  causes: readonly FieldCause[] = [],
): ApiError {
  const what = qualifiedName(subject);
  const quoted = name === '' ? what : `${what} "${name}"`;
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${quoted} is forbidden: ${why}`,
    details: {
      ...detailsOf(subject, name),
      ...(causes.length === 0 ? {} : { causes: causes.map((cause) => ({ ...cause })) }),
    },
  });
}

export function unauthorized(): ApiError {
  return new ApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}

export function methodNotAllowed(): ApiError {
  return new ApiError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  return new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });
}

export function notAcceptable(accepted: readonly string[]): ApiError {
  return new ApiError({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${accepted.join(', ')}`,
  });
}

/** The revision asked for was compacted away. */
export function expired(message: string, metadata: JsonObject = {}): ApiError {
  return new ApiError({ code: 410, reason: 'Expired', message, metadata });
}

export function tooLargeRevision(requested: number, current: number): ApiError {
  return new ApiError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

export function internalError(message: string): ApiError {
  return new ApiError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}
