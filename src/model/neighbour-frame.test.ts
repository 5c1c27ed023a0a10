import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from './ip.ts';
import { macOf } from './mac.ts';
import { claimIn, type NeighbourFrame, namedMac, questionIn } from './neighbour-frame.ts';

const envelope = { from: macOf('02:00:5e:10:00:01'), to: macOf('02:00:5e:10:00:02') };
const own = macOf('02:00:5e:10:00:0a');
const zero = macOf('00:00:00:00:00:00');

const arp = (operation: 'request' | 'reply', sender: string, target: string): NeighbourFrame => ({
  kind: 'arp',
  ...envelope,
  operation,
  sender: { mac: own, ip: ipOf(sender) },
  target: { mac: zero, ip: ipOf(target) },
});

const solicitation = (source: string, sourceMac?: typeof own): NeighbourFrame => ({
  kind: 'neighbour-solicitation',
  ...envelope,
  source: ipOf(source),
  destination: ipOf('2001:db8::2'),
  target: ipOf('2001:db8::2'),
  ...(sourceMac === undefined ? {} : { sourceMac }),
});

const advertisement = (targetMac?: typeof own): NeighbourFrame => ({
  kind: 'neighbour-advertisement',
  ...envelope,
  source: ipOf('fe80::1'),
  destination: ipOf('2001:db8::9'),
  target: ipOf('2001:db8::2'),
  isRouter: false,
  isSolicited: true,
  overrides: false,
  ...(targetMac === undefined ? {} : { targetMac }),
});

const echo = (kind: 'echo-request' | 'echo-reply'): NeighbourFrame => ({
  kind,
  ...envelope,
  source: ipOf('192.0.2.2'),
  destination: ipOf('192.0.2.1'),
  identifier: 1,
  sequence: 1,
});

/** Claim and question of a frame as text. */
function told(frame: NeighbourFrame): string {
  const claim = claimIn(frame);
  const says = claim === undefined ? 'claims nothing' : `${claim.ip} is at ${claim.mac.slice(-2)}`;
  const question = questionIn(frame);
  return question === undefined ? says : `${says}, asks for ${question}`;
}

test('each kind of frame makes its claim and asks its question', () => {
  assert.deepEqual(
    [
      arp('request', '192.0.2.1', '192.0.2.2'),
      arp('reply', '192.0.2.1', '192.0.2.2'),
      arp('request', '0.0.0.0', '192.0.2.2'),
      arp('request', '192.0.2.1', '192.0.2.1'),
      arp('reply', '192.0.2.1', '192.0.2.1'),
      solicitation('2001:db8::1', own),
      solicitation('2001:db8::1'),
      solicitation('::'),
      advertisement(own),
      advertisement(),
      echo('echo-request'),
      echo('echo-reply'),
    ].map(told),
    [
      '192.0.2.1 is at 0a, asks for 192.0.2.2',
      '192.0.2.1 is at 0a',
      'claims nothing, asks for 192.0.2.2',
      '192.0.2.1 is at 0a',
      '192.0.2.1 is at 0a',
      '2001:db8::1 is at 0a, asks for 2001:db8::2',
      '2001:db8::1 is at 01, asks for 2001:db8::2',
      'claims nothing, asks for 2001:db8::2',
      '2001:db8::2 is at 0a',
      '2001:db8::2 is at 01',
      '192.0.2.2 is at 01',
      '192.0.2.2 is at 01',
    ],
  );
});

test('ARP and neighbour discovery name a MAC beside the one in the Ethernet header', () => {
  assert.deepEqual(
    [
      arp('request', '0.0.0.0', '192.0.2.2'),
      solicitation('2001:db8::1', own),
      solicitation('::'),
      advertisement(own),
      advertisement(),
      echo('echo-reply'),
    ].map(namedMac),
    [own, own, undefined, own, undefined, undefined],
  );
});
