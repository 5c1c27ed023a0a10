import { TransportError } from './transport.ts';

/** The whole body as text; JSON of more than `mostBytes` is nothing we asked for. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > mostBytes) {
      throw new TransportError('oversize', `an answer of more than ${mostBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}
