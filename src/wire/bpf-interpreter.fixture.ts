/** Runs classic BPF as the kernel does (Documentation/networking/filter.rst), for the instructions we assemble. */

import { Ancillary } from './bpf.ts';
import { ByteReader } from './byte-reader.ts';

export interface Packet {
  readonly bytes: Uint8Array;
  readonly packetType?: number;
  /** The tag that the kernel has taken off, as it stood in the frame. */
  readonly vlanTag?: number;
}

interface Machine {
  accumulator: number;
  index: number;
  place: number;
}

interface Instruction {
  readonly code: number;
  readonly yes: number;
  readonly no: number;
  readonly value: number;
}

const RETURN = 0x06;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_ANY_BIT = 0x45;
const INDEX_BY_HEADER_LENGTH = 0xb1;
const modes = { absolute: 0x20, indexed: 0x40 };
const sizes: Readonly<Record<number, number>> = { 0: 4, 8: 2, 16: 1 };

/** How many bytes of the packet the program keeps; 0 drops it. */
export function runBpf(program: Uint8Array, packet: Packet): number {
  const machine: Machine = { accumulator: 0, index: 0, place: 0 };
  let result: number | undefined;
  while (result === undefined) {
    const reader = new ByteReader(program.subarray(machine.place++ * 8), 'BPF program');
    const [code, yes, no] = [reader.u16le(), reader.u8(), reader.u8()];
    result = step(machine, { code, yes, no, value: reader.u32le() }, packet);
  }
  return result;
}

function step(machine: Machine, instruction: Instruction, packet: Packet): number | undefined {
  const { code, yes, no, value } = instruction;
  if (code === RETURN) return value;
  if (code === JUMP_IF_EQUAL) machine.place += machine.accumulator === value ? yes : no;
  else if (code === JUMP_IF_ANY_BIT)
    machine.place += (machine.accumulator & value) !== 0 ? yes : no;
  else return load(machine, instruction, packet);
  return undefined;
}

/** A load beyond the end of the packet ends the program. */
function load(machine: Machine, { code, value }: Instruction, packet: Packet): number | undefined {
  if (code === INDEX_BY_HEADER_LENGTH) {
    const byte = fetch(packet, value, 1);
    machine.index = ((byte ?? 0) & 0x0f) * 4;
    return byte === undefined ? 0 : undefined;
  }
  const size = sizes[code & 0x18];
  const offset = (code & 0xe7) === modes.indexed ? value + machine.index : value;
  const isLoad = (code & 0xe7) === modes.indexed || (code & 0xe7) === modes.absolute;
  if (size === undefined || !isLoad) throw new Error(`no such instruction: ${code.toString(16)}`);
  const loaded = fetch(packet, offset, size);
  machine.accumulator = loaded ?? 0;
  return loaded === undefined ? 0 : undefined;
}

function fetch(packet: Packet, offset: number, size: number): number | undefined {
  if (offset === Ancillary.packetType) return packet.packetType ?? 0;
  if (offset === Ancillary.isVlanTagPresent) return packet.vlanTag === undefined ? 0 : 1;
  if (offset === Ancillary.vlanTag) return packet.vlanTag ?? 0;
  if (offset + size > packet.bytes.length) return undefined;
  const bytes = packet.bytes.subarray(offset, offset + size);
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}
