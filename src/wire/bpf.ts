/** An assembler for classic BPF, as SO_ATTACH_FILTER takes it (linux/filter.h, linux/bpf_common.h). */

import { ByteWriter } from './byte-writer.ts';

/** Names the place of the next instruction, for jumps from above. */
export interface BpfLabel {
  readonly kind: 'label';
  readonly name: string;
}

/** One instruction (struct sock_filter), its jumps still by name; an absent target is the next instruction. */
export interface BpfInstruction {
  readonly kind: 'instruction';
  readonly code: number;
  readonly value: number;
  readonly yes?: string;
  readonly no?: string;
}

export type BpfLine = BpfLabel | BpfInstruction;

const sizes = { word: 0x00, half: 0x08, byte: 0x10 } as const;
type Size = keyof typeof sizes;

/** What the kernel knows about a frame beside its bytes: loaded from far negative offsets (SKF_AD_*). */
export const Ancillary = {
  packetType: 0xfffff000 + 4,
  vlanTag: 0xfffff000 + 44,
  isVlanTagPresent: 0xfffff000 + 48,
} as const;

export function label(name: string): BpfLabel {
  return { kind: 'label', name };
}

/** Into the accumulator. A load beyond the end of the frame ends the program with "drop". */
export function load(size: Size, offset: number): BpfInstruction {
  return { kind: 'instruction', code: 0x20 | sizes[size], value: offset };
}

/** As `load`, the index register added to the offset. */
export function loadIndexed(size: Size, offset: number): BpfInstruction {
  return { kind: 'instruction', code: 0x40 | sizes[size], value: offset };
}

/** Into the index register: four times the low half of the byte, which is an IPv4 header's length. */
export function indexByHeaderLength(offset: number): BpfInstruction {
  return { kind: 'instruction', code: 0xb1, value: offset };
}

export interface Targets {
  readonly yes?: string;
  readonly no?: string;
}

export function jumpIfEqual(value: number, targets: Targets): BpfInstruction {
  return { kind: 'instruction', code: 0x15, value, ...targets };
}

export function jumpIfAnyBit(mask: number, targets: Targets): BpfInstruction {
  return { kind: 'instruction', code: 0x45, value: mask, ...targets };
}

/** Ends the program: so many bytes of the frame are kept, none if 0. */
export function keep(length: number): BpfInstruction {
  return { kind: 'instruction', code: 0x06, value: length };
}

export function assemble(lines: readonly BpfLine[]): Uint8Array {
  const places = new Map<string, number>();
  const instructions: BpfInstruction[] = [];
  for (const line of lines) {
    if (line.kind === 'label') places.set(line.name, instructions.length);
    else instructions.push(line);
  }
  const writer = new ByteWriter(instructions.length * 8);
  for (const [index, { code, value, yes, no }] of instructions.entries()) {
    const distance = (target: string | undefined) => distanceTo(target, places, index + 1);
    writer.u16le(code).u8(distance(yes)).u8(distance(no)).u32le(value);
  }
  return writer.finish();
}

function distanceTo(
  target: string | undefined,
  places: ReadonlyMap<string, number>,
  next: number,
): number {
  if (target === undefined) return 0;
  const place = places.get(target);
  if (place === undefined) throw new RangeError(`no label is called "${target}"`);
  const distance = place - next;
  if (distance < 0 || distance > 255) {
    throw new RangeError(`"${target}" is ${distance} instructions away: only 0 to 255 can be told`);
  }
  return distance;
}
