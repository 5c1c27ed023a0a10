/** A page from a program that listens on a unix socket, copied as it comes. */

import { type IncomingMessage, request } from 'node:http';
import { type Outlet, writeAll } from './write-all.ts';

/** What was answered instead of the page. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** The page broke off before its end. */
export class BrokenPageError extends Error {
  override readonly name = 'BrokenPageError';
  readonly code = 'BROKEN_PAGE';
}

/** Resolves to undefined when all of it was written to `outlet`. */
export async function copyPage(
  socketPath: string,
  path: string,
  outlet: Outlet,
): Promise<Refusal | undefined> {
  const response = await ask(socketPath, path);
  const { statusCode: status = 0 } = response;
  if (status === 200) {
    await writeAll(outlet, piecesOf(response));
    return undefined;
  }
  let text = '';
  for await (const chunk of piecesOf(response)) text += String(chunk);
  return { status, text };
}

async function* piecesOf(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) yield chunk;
  } catch (cause) {
    throw new BrokenPageError('the page broke off', { cause });
  }
}

function ask(socketPath: string, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, agent: false }, resolve).on('error', reject).end();
  });
}
