/** Given to Node before an agent's own program: makes it an agent of the protocol version before this one. */

import { registerHooks } from 'node:module';

const file = '/src/decide/announcement/local-subnets.ts';
const version = /(?<=protocolVersion = )\d+/;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(file)) return loaded;
    const source =
      loaded.source === undefined ? '' : new TextDecoder().decode(toBytes(loaded.source));
    if (!version.test(source)) throw new Error(`${file} does not say which version it speaks`);
    return { ...loaded, source: source.replace(version, (number) => String(Number(number) - 1)) };
  },
});

function toBytes(source: string | ArrayBuffer | NodeJS.TypedArray): Uint8Array {
  if (typeof source === 'string') return new TextEncoder().encode(source);
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
}
