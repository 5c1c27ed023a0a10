import { ByteWriter } from '../wire/byte-writer.ts';
import { AF_PACKET } from './libc.ts';

/** Every frame of the link; the filter chooses. */
export const ETH_P_ALL = 3;

/** struct sockaddr_ll: a link, and which frames of it. Protocol 0 means none. */
export function packetAddress(linkIndex: number, protocol: number): Uint8Array {
  return new ByteWriter(20).u16le(AF_PACKET).u16be(protocol).u32le(linkIndex).zeros(12).finish();
}
