/** The little of DNS (RFC 1035, RFC 3596) that resolvers of pods need: one question, answered with addresses. */

import { familyOf, type Ip, ipToBytes } from '../../src/model/ip.ts';

const headerLength = 12;
const types = { 1: 'ipv4', 28: 'ipv6' } as const;
const isAnswer = 0x8480;
const noSuchName = 3;
const secondsToLive = 1;

export interface NameQuery {
  readonly id: number;
  /** Without the closing dot. */
  readonly name: string;
  /** Undefined for anything but addresses. */
  readonly family: 'ipv4' | 'ipv6' | undefined;
  /** The question as it came, which an answer repeats. */
  readonly question: Buffer;
}

/** Undefined for what is no question. */
export function readNameQuery(packet: Buffer): NameQuery | undefined {
  if (packet.length < headerLength || packet.readUInt16BE(4) !== 1) return undefined;
  const labels = readLabels(packet);
  if (labels === undefined) return undefined;
  const at = labels.reduce((sum, label) => sum + 1 + label.length, headerLength);
  const end = at + 5;
  if (packet.length < end) return undefined;
  const type = packet.readUInt16BE(at + 1);
  return {
    id: packet.readUInt16BE(0),
    name: labels.join('.'),
    family: type === 1 || type === 28 ? types[type] : undefined,
    question: packet.subarray(headerLength, end),
  };
}

/** Up to the empty one that ends a name; undefined if it does not end. */
function readLabels(packet: Buffer): readonly string[] | undefined {
  const labels: string[] = [];
  for (let at = headerLength; ; ) {
    const length = packet[at] ?? 64;
    if (length === 0) return labels;
    if (length > 63) return undefined;
    labels.push(packet.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
}

/** `ips` is undefined where there is no such name; those of the other family are left out. */
export function answerNameQuery(query: NameQuery, ips: readonly Ip[] | undefined): Buffer {
  const fitting = (ips ?? []).filter((ip) => familyOf(ip) === query.family);
  const header = Buffer.alloc(headerLength);
  const flags = isAnswer | (ips === undefined ? noSuchName : 0);
  [query.id, flags, 1, fitting.length].forEach((field, index) => {
    header.writeUInt16BE(field, 2 * index);
  });
  return Buffer.concat([header, query.question, ...fitting.map(record)]);
}

/** Its name is the one asked for, which begins right after the header. */
function record(ip: Ip): Buffer {
  const bytes = ipToBytes(ip);
  const start = Buffer.alloc(12);
  start.writeUInt16BE(0xc000 + headerLength, 0);
  start.writeUInt16BE(familyOf(ip) === 'ipv4' ? 1 : 28, 2);
  start.writeUInt16BE(1, 4);
  start.writeUInt32BE(secondsToLive, 6);
  start.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([start, bytes]);
}
