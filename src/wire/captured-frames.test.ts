import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeArp, encodeArp } from './arp.ts';
import { capturedFrames } from './captured-frames.fixture.ts';
import { decodeEthernet, EtherType, encodeEthernet } from './ethernet.ts';
import { decodeIcmp, encodeIcmp, type IcmpMessage } from './icmp.ts';
import { decodeEcho, encodeEcho } from './icmp-echo.ts';
import { decodeIpv4, encodeIpv4 } from './ipv4.ts';
import { decodeIpv6, encodeIpv6, type Ipv6Packet } from './ipv6.ts';
import { decodeNdp, encodeNdp } from './ndp.ts';

test('every captured frame survives being taken apart to its innermost layer and put together', () => {
  for (const { name, bytes } of capturedFrames) {
    const frame = decodeEthernet(bytes);
    const payload = rebuild(frame.etherType, frame.payload);
    assert.deepEqual(encodeEthernet({ ...frame, payload }), bytes, name);
  }
});

function rebuild(etherType: number, payload: Uint8Array): Uint8Array {
  if (etherType === EtherType.arp) {
    const arp = decodeArp(payload);
    assert.ok(arp !== undefined);
    return encodeArp(arp);
  }
  if (etherType === EtherType.ipv4) {
    const packet = decodeIpv4(payload);
    const echo = decodeEcho(decodeIcmp(packet.payload, packet), 'ipv4');
    assert.ok(echo !== undefined);
    return encodeIpv4({ ...packet, payload: encodeIcmp(encodeEcho(echo, 'ipv4'), packet) });
  }
  const packet = decodeIpv6(payload);
  const icmp = rebuildIcmpv6(decodeIcmp(packet.payload, packet), packet);
  return encodeIpv6({ ...packet, payload: encodeIcmp(icmp, packet) });
}

function rebuildIcmpv6(icmp: IcmpMessage, packet: Ipv6Packet): IcmpMessage {
  const echo = decodeEcho(icmp, 'ipv6');
  if (echo !== undefined) return encodeEcho(echo, 'ipv6');
  const ndp = decodeNdp(icmp, packet);
  return ndp === undefined ? icmp : encodeNdp(ndp);
}
