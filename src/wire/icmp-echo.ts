import type { Family } from '../model/ip.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import type { IcmpMessage } from './icmp.ts';
import { WireError } from './wire-error.ts';

export interface EchoMessage {
  readonly kind: 'echo-request' | 'echo-reply';
  readonly identifier: number;
  readonly sequence: number;
  readonly data: Uint8Array;
}

/** RFC 792 and RFC 4443 section 4. */
export const echoType = {
  ipv4: { 'echo-request': 8, 'echo-reply': 0 },
  ipv6: { 'echo-request': 128, 'echo-reply': 129 },
} as const satisfies Record<Family, Record<EchoMessage['kind'], number>>;

export function encodeEcho(echo: EchoMessage, family: Family): IcmpMessage {
  const body = new ByteWriter(4 + echo.data.length)
    .u16be(echo.identifier)
    .u16be(echo.sequence)
    .bytes(echo.data)
    .finish();
  return { type: echoType[family][echo.kind], code: 0, body };
}

/** `undefined` for any other ICMP message. */
export function decodeEcho(message: IcmpMessage, family: Family): EchoMessage | undefined {
  const kind = kindOf(message.type, family);
  if (kind === undefined) return undefined;
  if (message.code !== 0) throw new WireError('WIRE_MALFORMED', `${kind} of code ${message.code}`);
  const reader = new ByteReader(message.body, 'ICMP echo');
  return { kind, identifier: reader.u16be(), sequence: reader.u16be(), data: reader.rest() };
}

function kindOf(type: number, family: Family): EchoMessage['kind'] | undefined {
  if (type === echoType[family]['echo-request']) return 'echo-request';
  if (type === echoType[family]['echo-reply']) return 'echo-reply';
  return undefined;
}
