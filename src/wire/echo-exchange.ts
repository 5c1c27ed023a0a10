/**
 * One who is asked by echo over and over: the frame that asks is made once, and a reply as it should be is known by its
 * bytes, without being taken apart. It says the same as `encodeFrame` and `decodeFrame`, which touch far more code: in a
 * process that wakes ten times a second that is what costs.
 */

import { type Family, familyOf } from '../model/ip.ts';
import type { EchoReply } from '../model/neighbour-frame.ts';
import { addWords, checksumOf, pseudoHeaderSum } from './checksum.ts';
import { encodeFrame } from './encode-frame.ts';
import { icmpProtocol } from './icmp.ts';
import { type EchoProbe, echoFrame } from './probe.ts';

/** Offsets of a frame without tags, options or data. */
interface Layout {
  readonly ip: number;
  readonly icmp: number;
  /** Where a reply is the same, whoever sent it and when: from the first, to before the second. */
  readonly fixed: readonly (readonly [number, number])[];
}

const layouts: Readonly<Record<Family, Layout>> = {
  ipv4: {
    ip: 14,
    icmp: 34,
    // All but the traffic class, the identification, the fragment, the hop limit and checksums.
    fixed: [
      [0, 15],
      [16, 18],
      [23, 24],
      [26, 36],
      [38, 40],
    ],
  },
  ipv6: {
    ip: 14,
    icmp: 54,
    // All but the traffic class, the flow label, the hop limit and the checksum.
    fixed: [
      [0, 14],
      [18, 21],
      [22, 56],
      [58, 60],
    ],
  },
};

const icmpLength = 8;

export class EchoExchange {
  readonly #family: Family;
  readonly #layout: Layout;
  readonly #request: Uint8Array;
  /** Of the request's ICMP message with the sequence 0, its checksum left out. */
  readonly #sum: number;
  /** As it would be with the sequence 0. */
  readonly #reply: EchoReply;
  readonly #expected: Uint8Array;
  readonly #pseudoSum: number;

  constructor(probe: Omit<EchoProbe, 'sequence'>) {
    const { ip, source, identifier } = probe;
    this.#family = familyOf(ip);
    this.#layout = layouts[this.#family];
    const { icmp } = this.#layout;
    this.#request = encodeFrame(echoFrame({ ...probe, sequence: 0 }));
    this.#sum = ~read(this.#request, icmp + 2) & 0xffff;
    const path = { source: ip, destination: source };
    const kind = 'echo-reply';
    this.#reply = { kind, from: probe.to, to: probe.mac, ...path, identifier, sequence: 0 };
    this.#expected = encodeFrame(this.#reply);
    const header = { ...path, protocol: icmpProtocol.ipv6, length: icmpLength };
    this.#pseudoSum = this.#family === 'ipv4' ? 0 : pseudoHeaderSum(header);
  }

  /** The sequence in a frame, if it is a reply at all. */
  static sequenceIn(frame: Uint8Array): number {
    const isIpv4 = frame[12] === 0x08 && frame[13] === 0x00;
    return read(frame, layouts[isIpv4 ? 'ipv4' : 'ipv6'].icmp + 6);
  }

  /** The frame that asks; valid until the next question. */
  ask(sequence: number): Uint8Array {
    const { icmp } = this.#layout;
    write(this.#request, icmp + 2, checksumOf(this.#sum + sequence));
    write(this.#request, icmp + 6, sequence);
    return this.#request;
  }

  /** The reply that a frame is; undefined: it is none, or one that is to be looked at more closely. */
  recognise(frame: Uint8Array): EchoReply | undefined {
    const { icmp, fixed } = this.#layout;
    if (frame.length < icmp + icmpLength) return undefined;
    for (const [start, end] of fixed) {
      for (let at = start; at < end; at++) if (frame[at] !== this.#expected[at]) return undefined;
    }
    const message = frame.subarray(icmp, icmp + icmpLength);
    const isWhole = checksumOf(addWords(message, this.#pseudoSum)) === 0;
    if (!isWhole || !this.#isPlain(frame)) return undefined;
    return { ...this.#reply, sequence: read(frame, icmp + 6) };
  }

  /** Of its IP header what the fixed bytes do not say. */
  #isPlain(frame: Uint8Array): boolean {
    const { ip, icmp } = this.#layout;
    if (this.#family === 'ipv6') return (frame[ip] ?? 0) >> 4 === 6;
    const isFragment = (read(frame, ip + 6) & 0x3fff) !== 0;
    return !isFragment && checksumOf(addWords(frame.subarray(ip, icmp))) === 0;
  }
}

function read(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

function write(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}
