/** One call: a verb on a path, answered with JSON or an error that says what was tried. */

import { type Clock, sleep } from '../runtime/clock.ts';
import { ApiError, type ApiStatus, brokenExchange, refusal } from './api-error.ts';
import { parseJson } from './parse-json.ts';
import { readBody } from './read-body.ts';
import type { Slots } from './slots.ts';
import { timedExchange } from './timed-exchange.ts';
import {
  type Method,
  type ResponseBody,
  type Transport,
  TransportError,
  type TransportResponse,
} from './transport.ts';

export interface ApiCall {
  /** Verb and object, for errors. */
  readonly operation: string;
  readonly method: Method;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
  readonly isUrgent?: boolean | undefined;
  readonly withinMs?: number | undefined;
}

export interface ApiConnection {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly slots: Slots;
  readonly userAgent: string;
}

const answerWithinMs = 30_000;
const answerPauseMs = 30_000;
/** A page of a hundred objects of the largest size that etcd takes. */
const mostAnswerBytes = 256 * 1024 * 1024;
const mostErrorBytes = 1024 * 1024;

/** Resolves to the answer's bytes, or throws an ApiError for any status but 2xx. */
export async function call(connection: ApiConnection, request: ApiCall): Promise<Buffer> {
  const { slots } = connection;
  if (request.isUrgent === true) return callNow(connection, request);
  await slots.take(request.signal);
  try {
    return await callNow(connection, request);
  } finally {
    slots.release();
  }
}

async function callNow(connection: ApiConnection, request: ApiCall): Promise<Buffer> {
  try {
    const response = await open(connection, request, answerPauseMs);
    return await readBody(response.body, mostAnswerBytes);
  } catch (error) {
    throw describe(error, request);
  }
}

/** The answer while it still comes in, for watches. Uses no slot: it may last for minutes. */
export async function openStream(
  connection: ApiConnection,
  request: ApiCall,
  silenceMs: number,
): Promise<ResponseBody> {
  try {
    const response = await open(connection, request, silenceMs);
    return response.body;
  } catch (error) {
    throw describe(error, request);
  }
}

/** The error that a caller sees, for whatever happened below. What is not a fault of the exchange stays as it is. */
export function describe(error: unknown, { operation, method }: ApiCall): unknown {
  return error instanceof TransportError
    ? brokenExchange(operation, error, method !== 'GET')
    : error;
}

async function open(
  { transport, clock, userAgent }: ApiConnection,
  request: ApiCall,
  silenceMs: number,
): Promise<TransportResponse> {
  const { operation, method, path, body, contentType, signal, withinMs } = request;
  const headers = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
  };
  const message = { method, path, headers, ...(body === undefined ? {} : { body }) };
  const limits = { headersMs: withinMs ?? answerWithinMs, silenceMs };
  const response = await timedExchange(transport, clock, message, limits, signal);
  if (response.status >= 200 && response.status < 300) return response;
  const text = (await readBody(response.body, mostErrorBytes)).toString('utf8');
  const retryAfter = response.headers['retry-after'];
  throw refusal(operation, response.status, parseStatus(text), retryAfter);
}

/** Proxies on the way answer with HTML or plain text. */
function parseStatus(text: string): ApiStatus {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return parsed;
  } catch {}
  const line = text.trim().split('\n')[0] ?? '';
  return line === '' ? {} : { message: line.slice(0, 200) };
}

const mostTries = 4;
const longestWaitMs = 10_000;

/**
 * A read that may be repeated: after "later" with a time to wait, up to ten seconds in all, and once at once when a
 * connection from the pool turned out to be closed.
 */
export async function callPatiently(connection: ApiConnection, request: ApiCall): Promise<Buffer> {
  const { clock } = connection;
  const giveUpAt = clock.monotonic() + longestWaitMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await call(connection, request);
    } catch (error) {
      const waitMs = retryDelay(error);
      const isTooLong = waitMs === undefined || clock.monotonic() + waitMs > giveUpAt;
      if (isTooLong || tries >= mostTries) throw error;
      await sleep(clock, waitMs, request.signal);
    }
  }
}

function retryDelay(error: unknown): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 429 || error.status === 503) return error.retryAfterMs;
  const { cause } = error;
  const wasIdle = cause instanceof TransportError && cause.code === 'reset' && cause.wasReused;
  return wasIdle ? 0 : undefined;
}

export function parseAnswer<T>(answer: Buffer, operation: string): T {
  try {
    const parsed = parseJson(answer);
    if (typeof parsed === 'object' && parsed !== null) return parsed as T;
    throw new SyntaxError('not an object');
  } catch (cause) {
    throw new ApiError({
      code: 'malformed',
      operation,
      message: `the answer is not the JSON that was expected (${answer.length} bytes)`,
      // A write was carried out all the same when the status said so.
      outcome: 'unknown',
      cause,
    });
  }
}
