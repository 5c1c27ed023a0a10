/**
 * What one agent tells the others by UDP: that a holder fell silent. Nobody believes it; it only makes them look for
 * themselves, so it carries no secret and no signature.
 */

import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { WireError } from './wire-error.ts';

export interface Hint {
  readonly kind: 'silent';
  /** Name of the node that does not answer. */
  readonly holder: string;
}

/** `PLBH` */
const magic = 0x504c_4248;
const version = 1;
const silent = 1;
/** Names of nodes are DNS names. */
const longestName = 253;

export function encodeHint({ holder }: Hint): Uint8Array {
  const name = new TextEncoder().encode(holder);
  if (name.length === 0 || name.length > longestName) {
    throw new RangeError(`a hint names a node, not ${JSON.stringify(holder)}`);
  }
  const writer = new ByteWriter(7 + name.length);
  return writer.u32be(magic).u8(version).u8(silent).u8(name.length).bytes(name).finish();
}

/** Undefined: of a version or kind that this one does not know. */
export function decodeHint(bytes: Uint8Array): Hint | undefined {
  const reader = new ByteReader(bytes, 'hint');
  if (reader.u32be() !== magic) throw new WireError('WIRE_MALFORMED', 'hint: not one of ours');
  if (reader.u8() !== version || reader.u8() !== silent) return undefined;
  const holder = decodeName(reader.bytes(reader.u8()));
  if (reader.remaining > 0)
    throw new WireError('WIRE_MALFORMED', 'hint: more than there should be');
  return { kind: 'silent', holder };
}

/** As Kubernetes names nodes: anything else has no business in logs and maps. */
function decodeName(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes);
  if (/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(text) && text.length <= longestName) return text;
  throw new WireError('WIRE_MALFORMED', 'hint: not the name of a node');
}
