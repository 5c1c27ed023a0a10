/** One page over HTTP from a program on the same machine. */

import { get } from 'node:http';

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Far more than any program tells of itself; a page without end must not fill our memory. */
const mostBytes = 16 * 1024 * 1024;

export async function getPage(url: string, withinMs: number): Promise<Page> {
  const signal = AbortSignal.timeout(withinMs);
  const { promise, resolve, reject } = Promise.withResolvers<Page>();
  const request = get(url, { signal, agent: false }, (response) => {
    const { statusCode: status = 0, headers } = response;
    const chunks: Buffer[] = [];
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > mostBytes) request.destroy(new Error(`more than ${mostBytes} bytes`));
    });
    response.on('error', reject);
    response.on('end', () => {
      const type = headers['content-type'] ?? 'text/plain';
      resolve({ status, type, body: Buffer.concat(chunks).toString('utf8') });
    });
  });
  request.on('error', reject);
  return promise;
}
