import type { Clock } from '../runtime/clock.ts';
import { RequestScope } from './request-scope.ts';
import {
  type ResponseBody,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';

export interface ExchangeLimits {
  /** From sending to status and headers, connecting included. */
  readonly headersMs: number;
  /** Longest pause in the body. */
  readonly silenceMs: number;
}

/**
 * One exchange that cannot hang: neither without an answer nor in the middle of one.
 */
export async function timedExchange(
  transport: Transport,
  clock: Clock,
  request: Omit<TransportRequest, 'signal'>,
  limits: ExchangeLimits,
  signal?: AbortSignal,
): Promise<TransportResponse> {
  const scope = new RequestScope(signal);
  const cancel = clock.after(limits.headersMs, () => {
    scope.abort(new TransportError('silence', `no answer within ${seconds(limits.headersMs)}`));
  });
  try {
    scope.signal.throwIfAborted();
    const response = await transport.exchange({ ...request, signal: scope.signal });
    return { ...response, body: watchedBody(response.body, clock, limits.silenceMs, scope) };
  } catch (error) {
    scope.close();
    throw error;
  } finally {
    cancel();
  }
}

/** One timer for many chunks: it looks when it fires, instead of being set anew for each. */
function watchedBody(
  body: ResponseBody,
  clock: Clock,
  silenceMs: number,
  scope: RequestScope,
): ResponseBody {
  return async (onChunk) => {
    let heardAt = clock.monotonic();
    let cancel = clock.after(silenceMs, check);
    function check() {
      const left = heardAt + silenceMs - clock.monotonic();
      if (left > 0) cancel = clock.after(left, check);
      else
        scope.abort(new TransportError('silence', `the answer paused for ${seconds(silenceMs)}`));
    }
    try {
      await body((chunk) => {
        heardAt = clock.monotonic();
        onChunk(chunk);
      });
    } finally {
      cancel();
      scope.close();
    }
  };
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
