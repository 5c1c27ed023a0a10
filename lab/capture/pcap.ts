import { type Mac, macFromBytes } from '../../src/model/mac.ts';
import { ByteReader } from '../../src/wire/byte-reader.ts';

/** An Ethernet frame and when the kernel saw it. */
export interface CapturedFrame {
  /** Milliseconds since 1970, with a fraction. */
  readonly epochMs: number;
  readonly target: Mac;
  readonly source: Mac;
  readonly etherType: number;
  /** All of it, header included. */
  readonly bytes: Uint8Array;
}

const magicOfMicroseconds = 0xa1b2c3d4;
const linkTypeEthernet = 1;
const fileHeaderBytes = 24;
const recordHeaderBytes = 16;

/** Reads the classic pcap format as little-endian machines write it; a record cut off at the end is left out. */
export function decodePcap(bytes: Uint8Array): readonly CapturedFrame[] {
  const reader = new ByteReader(bytes, 'pcap file');
  if (reader.remaining < fileHeaderBytes) return [];
  if (reader.u32le() !== magicOfMicroseconds) throw new Error('not a pcap file of this machine');
  reader.skip(16);
  const linkType = reader.u32le();
  if (linkType !== linkTypeEthernet) throw new Error(`link type ${linkType} is not Ethernet`);
  const frames: CapturedFrame[] = [];
  while (reader.remaining >= recordHeaderBytes) {
    const epochMs = reader.u32le() * 1000 + reader.u32le() / 1000;
    const length = reader.u32le();
    reader.skip(4);
    if (reader.remaining < length) break;
    frames.push(decodeFrame(epochMs, reader.bytes(length)));
  }
  return frames;
}

function decodeFrame(epochMs: number, bytes: Uint8Array): CapturedFrame {
  const reader = new ByteReader(bytes, 'Ethernet frame');
  const target = macFromBytes(reader.bytes(6));
  const source = macFromBytes(reader.bytes(6));
  return { epochMs, target, source, etherType: reader.u16be(), bytes };
}
