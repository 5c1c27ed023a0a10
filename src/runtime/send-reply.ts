/** Writes an answer as fast as its client reads, and ends the connection of a client that takes too long. */

import type { ServerResponse } from 'node:http';
import type { Clock } from './clock.ts';
import type { HttpReply } from './http-routes.ts';
import { writeAll } from './write-all.ts';

export interface SendOptions {
  readonly clock: Clock;
  /** From the first byte of the answer to its last. */
  readonly wholeReplyMs: number;
  /** The connection ends with this answer. */
  readonly isLast: boolean;
}

/** Resolves when everything is written, or the client is gone. */
export async function sendReply(
  response: ServerResponse,
  reply: HttpReply,
  { clock, wholeReplyMs, isLast }: SendOptions,
): Promise<void> {
  const { status, type, body, headers } = reply;
  const text = typeof body === 'string' ? Buffer.from(body) : undefined;
  response.writeHead(status, {
    'Content-Type': type,
    ...(text === undefined ? {} : { 'Content-Length': text.length }),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
    ...(isLast ? { Connection: 'close' } : {}),
  });
  response.once(
    'close',
    clock.after(wholeReplyMs, () => response.destroy()),
  );
  // Node itself leaves the body out of an answer to HEAD.
  if (typeof body !== 'string' && response.req.method !== 'HEAD') await writeAll(response, body);
  response.end(text);
}
