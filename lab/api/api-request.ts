import type { Json, JsonObject } from './json.ts';

export interface ApiRequest {
  readonly method: string;
  /** Path and query, as on the request line. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  /** Subject of a verified client certificate. */
  readonly certificate?: { readonly user: string; readonly groups: readonly string[] };
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text is the whole body; a stream is written until it ends or is stopped. */
  readonly body: string | ChunkStream;
}

/** Starts writing to the sink; the result stops it from this side. */
export type ChunkStream = (sink: ChunkSink) => () => void;

export interface ChunkSink {
  write(chunk: string): void;
  end(): void;
  /** The connection breaks. */
  destroy(): void;
}

export function jsonResponse(
  status: number,
  body: Json | string,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body as JsonObject);
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: `${text}\n`,
  };
}

export function textResponse(status: number, body: string): ApiResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}
