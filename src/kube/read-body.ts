import { type ResponseBody, TransportError } from './transport.ts';

/** The whole body; one of more than `mostBytes` is nothing we asked for. */
export async function readBody(body: ResponseBody, mostBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  await body((chunk) => {
    length += chunk.length;
    if (length > mostBytes) {
      throw new TransportError('oversize', `an answer of more than ${mostBytes} bytes`);
    }
    chunks.push(chunk);
  });
  return Buffer.concat(chunks, length);
}
