import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { macOf, macToBytes } from '../model/mac.ts';
import { anyFrameBytes, assertThrowsOnlyWireErrors } from './arbitrary-frames.fixture.ts';
import { bytesOf, capturedFrame, capturedFrames } from './captured-frames.fixture.ts';
import { decodeFrame } from './decode-frame.ts';
import { decodeEthernet, EtherType, encodeEthernet } from './ethernet.ts';
import { decodeIpv4, encodeIpv4 } from './ipv4.ts';
import { WireError } from './wire-error.ts';

test('captured frames say what the kernel and the tools meant', () => {
  const [ours, theirs] = ['02:00:5e:10:00:01', '02:00:5e:10:00:02'];
  const told = Object.fromEntries(
    capturedFrames.map(({ name, bytes }) => [name, decodeFrame(bytes)]),
  );
  assert.deepEqual(told['arping -A: gratuitous ARP, reply form'], {
    kind: 'arp',
    from: ours,
    to: 'ff:ff:ff:ff:ff:ff',
    operation: 'reply',
    sender: { mac: ours, ip: '192.0.2.1' },
    target: { mac: ours, ip: '192.0.2.1' },
  });
  assert.deepEqual(told["kernel's duplicate address detection, with a nonce"], {
    kind: 'neighbour-solicitation',
    from: theirs,
    to: '33:33:ff:00:00:02',
    source: '::',
    destination: 'ff02::1:ff00:2',
    target: '2001:db8::2',
  });
  assert.deepEqual(told["kernel's advertisement to a unicast solicitation, without a MAC"], {
    kind: 'neighbour-advertisement',
    from: ours,
    to: theirs,
    source: '2001:db8::1',
    destination: 'fe80::5eff:fe10:2',
    target: '2001:db8::1',
    isRouter: false,
    isSolicited: true,
    overrides: false,
  });
  assert.deepEqual(told["kernel's unicast neighbour solicitation, confirming a neighbour"], {
    kind: 'neighbour-solicitation',
    from: theirs,
    to: ours,
    source: 'fe80::5eff:fe10:2',
    destination: '2001:db8::1',
    target: '2001:db8::1',
    sourceMac: theirs,
  });
  assert.deepEqual(told["kernel's ICMP echo reply with IPv4 options"], {
    kind: 'echo-reply',
    from: theirs,
    to: ours,
    source: '192.0.2.2',
    destination: '192.0.2.1',
    identifier: 22,
    sequence: 1,
  });
  assert.equal(told["kernel's router solicitation"], undefined);
  assert.equal(Object.values(told).filter((frame) => frame !== undefined).length, 29);
});

test('a frame tagged for a VLAN belongs to another link, one tagged with a priority to ours', () => {
  const frame = decodeEthernet(capturedFrame("kernel's ARP request"));
  const tagged = (vlan: number) =>
    encodeEthernet({
      ...frame,
      tags: [{ protocol: EtherType.vlan, priority: 5, dropEligible: false, vlan }],
    });
  assert.equal(decodeFrame(tagged(100)), undefined);
  assert.deepEqual(decodeFrame(tagged(0)), decodeFrame(capturedFrame("kernel's ARP request")));
});

test('frames of other kinds are none of ours', () => {
  const reply = capturedFrame("kernel's ARP reply").slice();
  reply[21] = 4;
  assert.equal(decodeFrame(reply), undefined, 'RARP reply');
  const spanningTree = bytesOf('0180c2000000 02005e100001 0026 424203 00000000');
  assert.equal(decodeFrame(spanningTree), undefined, '802.3 length instead of a type');
  const ethernet = decodeEthernet(capturedFrame("kernel's ICMP echo reply"));
  const packet = decodeIpv4(ethernet.payload);
  for (const other of [{ protocol: 17 }, { fragment: 0x2000 }, { fragment: 1 }]) {
    const payload = encodeIpv4({ ...packet, ...other });
    assert.equal(decodeFrame(encodeEthernet({ ...ethernet, payload })), undefined);
  }
});

test('every captured frame cut short is refused, but for what only lost its data', () => {
  for (const { name, bytes } of capturedFrames) {
    if (decodeFrame(bytes) === undefined) continue;
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(() => decodeFrame(bytes.subarray(0, length)), WireError, `${name}, ${length}`);
    }
  }
});

test('any bytes decode or throw a WireError', () => {
  assertThrowsOnlyWireErrors(decodeFrame);
});

test('what is decoded does not change when the buffer is used again', () => {
  fc.assert(
    fc.property(anyFrameBytes, (bytes) => {
      const buffer = bytes.slice();
      let before: string;
      try {
        const frame = decodeFrame(buffer);
        before = JSON.stringify(frame);
        buffer.fill(0xff);
        assert.equal(JSON.stringify(frame), before);
      } catch (error) {
        assert.ok(error instanceof WireError);
      }
    }),
  );
});

test('a frame from a group, from nobody, or in the name of nobody or everyone is malformed', () => {
  const bytes = capturedFrame('arping -A: gratuitous ARP, reply form');
  const changed = (offset: number, mac: string) => {
    const copy = Uint8Array.from(bytes);
    copy.set(macToBytes(macOf(mac)), offset);
    return copy;
  };
  const [source, named] = [6, 22];
  const impossible = [
    changed(source, 'ff:ff:ff:ff:ff:ff'),
    changed(source, '01:00:5e:00:00:01'),
    changed(source, '00:00:00:00:00:00'),
    changed(named, 'ff:ff:ff:ff:ff:ff'),
    changed(named, '00:00:00:00:00:00'),
  ];
  for (const frame of impossible) assert.throws(() => decodeFrame(frame), WireError);
  // Clusters of Windows hosts name a group in their ARP replies.
  const balanced = decodeFrame(changed(named, '03:bf:c0:00:02:01'));
  assert.equal(balanced?.kind === 'arp' && balanced.sender.mac, '03:bf:c0:00:02:01');
});
