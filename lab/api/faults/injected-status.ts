import type { JsonObject } from '../json.ts';

const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const messages: Readonly<Record<number, string>> = {
  410: 'too old resource version: 1 (2)',
  429: 'the server has received too many requests and has asked us to try again later',
};

/** A Status as the real server would send it with this code. */
export function injectedStatus(code: number, retryAfterSeconds?: number): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: messages[code] ?? `an injected fault answers ${code}`,
    ...(reasons[code] === undefined ? {} : { reason: reasons[code] }),
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code,
  };
}
