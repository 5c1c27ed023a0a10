/** Options of neighbour discovery (RFC 4861 4.6). Those not understood survive decoding and encoding. */

import { type Mac, macFromBytes, macToBytes } from '../model/mac.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { WireError } from './wire-error.ts';

export type NdpOption =
  | { readonly kind: 'source-mac'; readonly mac: Mac }
  | { readonly kind: 'target-mac'; readonly mac: Mac }
  | { readonly kind: 'other'; readonly type: number; readonly value: Uint8Array };

const SOURCE_LINK_LAYER_ADDRESS = 1;
const TARGET_LINK_LAYER_ADDRESS = 2;

export function encodeNdpOptions(options: readonly NdpOption[]): Uint8Array {
  const writer = new ByteWriter(16);
  for (const option of options) {
    const value = option.kind === 'other' ? option.value : macToBytes(option.mac);
    if ((value.length + 2) % 8 !== 0) throw new RangeError(`NDP option of ${value.length} bytes`);
    writer
      .u8(typeOf(option))
      .u8((value.length + 2) / 8)
      .bytes(value);
  }
  return writer.finish();
}

export function decodeNdpOptions(bytes: Uint8Array): readonly NdpOption[] {
  const reader = new ByteReader(bytes, 'NDP options');
  const options: NdpOption[] = [];
  while (reader.remaining > 0) {
    const type = reader.u8();
    const length = reader.u8() * 8;
    if (length === 0) throw new WireError('WIRE_MALFORMED', `NDP option ${type} of length 0`);
    options.push(decodeOption(type, reader.bytes(length - 2)));
  }
  return options;
}

/** Link-layer addresses of another length than Ethernet's stay as they are. */
function decodeOption(type: number, value: Uint8Array): NdpOption {
  if (value.length === 6 && type === SOURCE_LINK_LAYER_ADDRESS) {
    return { kind: 'source-mac', mac: macFromBytes(value) };
  }
  if (value.length === 6 && type === TARGET_LINK_LAYER_ADDRESS) {
    return { kind: 'target-mac', mac: macFromBytes(value) };
  }
  return { kind: 'other', type, value };
}

function typeOf(option: NdpOption): number {
  switch (option.kind) {
    case 'source-mac':
      return SOURCE_LINK_LAYER_ADDRESS;
    case 'target-mac':
      return TARGET_LINK_LAYER_ADDRESS;
    case 'other':
      return option.type;
    default:
      return option satisfies never;
  }
}
