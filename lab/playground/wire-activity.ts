/** What nodes say to each other on a segment, by kind: the kinds that failover is made of. */

import { hintPort } from '../../src/agent/datagrams.ts';
import { type NeighbourFrame, questionIn } from '../../src/model/neighbour-frame.ts';
import {
  assemble,
  indexByHeaderLength,
  jumpIfEqual,
  keep,
  label,
  load,
  loadIndexed,
} from '../../src/wire/bpf.ts';
import { decodeFrame } from '../../src/wire/decode-frame.ts';
import { EtherType } from '../../src/wire/ethernet.ts';
import { icmpProtocol } from '../../src/wire/icmp.ts';
import { WireError } from '../../src/wire/wire-error.ts';

/** Watching, asking who holds an address, saying that one holds it, telling others that someone is silent. */
export type WireKind = 'echoes' | 'questions' | 'announcements' | 'hints';

const udp = 17;

/** Frames that `classifyFrame` knows; the traffic of clients stays with the kernel. */
export const activityFilter: Uint8Array = assemble([
  load('half', 12),
  jumpIfEqual(EtherType.arp, { yes: 'accept' }),
  jumpIfEqual(EtherType.ipv6, { yes: 'ipv6' }),
  jumpIfEqual(EtherType.ipv4, { no: 'drop' }),

  load('byte', 23),
  jumpIfEqual(icmpProtocol.ipv4, { yes: 'accept' }),
  jumpIfEqual(udp, { no: 'drop' }),
  indexByHeaderLength(14),
  loadIndexed('half', 16),
  jumpIfEqual(hintPort, { yes: 'accept', no: 'drop' }),

  label('ipv6'),
  load('byte', 20),
  jumpIfEqual(icmpProtocol.ipv6, { yes: 'accept' }),
  jumpIfEqual(udp, { no: 'drop' }),
  load('half', 56),
  jumpIfEqual(hintPort, { yes: 'accept', no: 'drop' }),

  label('accept'),
  keep(2048),
  label('drop'),
  keep(0),
]);

/** Of a frame that passed the filter; undefined for answers, and for what is of no interest. */
export function classifyFrame(bytes: Uint8Array): WireKind | undefined {
  if (isUdp(bytes)) return 'hints';
  try {
    const frame = decodeFrame(bytes);
    return frame === undefined ? undefined : kindOf(frame);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

function isUdp(bytes: Uint8Array): boolean {
  const etherType = ((bytes[12] ?? 0) << 8) | (bytes[13] ?? 0);
  if (etherType === EtherType.ipv4) return bytes[23] === udp;
  return etherType === EtherType.ipv6 && bytes[20] === udp;
}

function kindOf(frame: NeighbourFrame): WireKind | undefined {
  if (frame.kind === 'echo-request') return 'echoes';
  if (questionIn(frame) !== undefined) return 'questions';
  const announces =
    frame.kind === 'arp'
      ? frame.sender.ip === frame.target.ip
      : frame.kind === 'neighbour-advertisement' && !frame.isSolicited;
  return announces ? 'announcements' : undefined;
}
