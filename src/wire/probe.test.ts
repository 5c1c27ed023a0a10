import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import { macOf } from '../model/mac.ts';
import { capturedFrame } from './captured-frames.fixture.ts';
import { decodeFrame } from './decode-frame.ts';
import { encodeFrame } from './encode-frame.ts';
import { echoFrame, probeFrame } from './probe.ts';

const mac = macOf('02:00:5e:10:00:01');
const holder = macOf('02:00:5e:10:00:02');
const v4 = { ip: ipOf('192.0.2.2'), mac };
const v6 = { ip: ipOf('2001:db8::2'), mac };
const source4 = ipOf('192.0.2.1');
const source6 = ipOf('2001:db8::1');

test('with a source it asks everyone as the kernel does', () => {
  assert.deepEqual(
    encodeFrame(probeFrame({ ...v4, source: source4 })),
    capturedFrame("kernel's ARP request"),
  );
  assert.deepEqual(
    encodeFrame(probeFrame({ ...v6, source: source6 })),
    capturedFrame("kernel's neighbour solicitation to the solicited-node group"),
  );
});

test('with a source it asks one host as the kernel does', () => {
  const toUs = { mac: holder, to: mac };
  assert.deepEqual(
    encodeFrame(probeFrame({ ...toUs, ip: source4, source: v4.ip })),
    capturedFrame("kernel's unicast ARP request, confirming a neighbour"),
  );
  assert.deepEqual(
    encodeFrame(probeFrame({ ...toUs, ip: source6, source: ipOf('fe80::5eff:fe10:2') })),
    capturedFrame("kernel's unicast neighbour solicitation, confirming a neighbour"),
  );
});

test('without a source it claims nothing', () => {
  const zero = macOf('00:00:00:00:00:00');
  assert.deepEqual(probeFrame(v4), {
    kind: 'arp',
    from: mac,
    to: 'ff:ff:ff:ff:ff:ff',
    operation: 'request',
    sender: { mac, ip: '0.0.0.0' },
    target: { mac: zero, ip: '192.0.2.2' },
  });
  const everyone = {
    kind: 'neighbour-solicitation',
    from: mac,
    to: '33:33:ff:00:00:02',
    source: '::',
    destination: 'ff02::1:ff00:2',
    target: '2001:db8::2',
  };
  assert.deepEqual(probeFrame(v6), everyone);
});

test('without a source it can ask one host, by a frame to it alone and a valid packet', () => {
  const [arp, solicitation] = [
    probeFrame({ ...v4, to: holder }),
    probeFrame({ ...v6, to: holder }),
  ];
  assert.deepEqual(
    [arp, solicitation],
    [
      { ...probeFrame(v4), to: holder },
      { ...probeFrame(v6), to: holder },
    ],
  );
  assert.deepEqual(decodeFrame(encodeFrame(solicitation)), solicitation);
});

test('an echo goes to the given MAC, whatever the address', () => {
  const numbers = { identifier: 7, sequence: 9 };
  assert.deepEqual(echoFrame({ ...v4, ...numbers, to: holder, source: source4 }), {
    kind: 'echo-request',
    from: mac,
    to: holder,
    source: '192.0.2.1',
    destination: '192.0.2.2',
    ...numbers,
  });
});
