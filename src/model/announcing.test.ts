import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { claimSlot, encodeAnnouncing, parseAnnouncing, type Slot } from './announcing.ts';
import { anyIp } from './ip.fixture.ts';
import { ipOf, isIpv4Mapped } from './ip.ts';

const slot = (node: string, link: string, ip: string): Slot => ({ node, link, ip: ipOf(ip) });

test('slots are read leniently', () => {
  const rows: readonly (readonly [text: string, ...slots: Slot[]])[] = [
    [''],
    ['  \t '],
    ['node1,eth0,192.0.2.1', slot('node1', 'eth0', '192.0.2.1')],
    [
      ' node1,eth0,192.0.2.1\n node2,eth1,2001:DB8::1 ',
      slot('node1', 'eth0', '192.0.2.1'),
      slot('node2', 'eth1', '2001:db8::1'),
    ],
    ['node1,a,b,c,192.0.2.1', slot('node1', 'a,b,c', '192.0.2.1')],
    ['node1,eth0,::ffff:192.0.2.1', slot('node1', 'eth0', '192.0.2.1')],
    ['kube-lb0'],
    ['node1,eth0'],
    [',eth0,192.0.2.1'],
    ['node1,,192.0.2.1'],
    ['node1,eth0,fe80::1%eth0'],
    ['node1,eth0,x node2,eth0,192.0.2.2', slot('node2', 'eth0', '192.0.2.2')],
  ];
  for (const [text, ...slots] of rows) assert.deepEqual(parseAnnouncing(text), slots, text);
});

test('slots are written sorted by address, one for each', () => {
  const slots = [
    slot('b', 'eth0', '2001:db8::1'),
    slot('c', 'eth0', '192.0.2.10'),
    slot('b', 'eth0', '192.0.2.9'),
    slot('a', 'eth1', '192.0.2.10'),
    slot('a', 'eth0', '192.0.2.10'),
  ];
  assert.equal(encodeAnnouncing(slots), 'b,eth0,192.0.2.9 a,eth0,192.0.2.10 b,eth0,2001:db8::1');
  assert.equal(encodeAnnouncing([]), '');
});

test('a node claims its address, leaves other live ones and sweeps departed ones', () => {
  const ingress = [ipOf('192.0.2.1'), ipOf('192.0.2.2')];
  const mine = slot('me', 'eth0', '192.0.2.1');
  const claim = (text: string) => encodeAnnouncing(claimSlot(parseAnnouncing(text), mine, ingress));
  assert.equal(claim(''), 'me,eth0,192.0.2.1');
  assert.equal(claim('you,eth0,192.0.2.1'), 'me,eth0,192.0.2.1');
  assert.equal(
    claim('you,eth0,192.0.2.2 you,eth0,192.0.2.3'),
    'me,eth0,192.0.2.1 you,eth0,192.0.2.2',
  );
  assert.equal(claim(claim('you,eth0,192.0.2.2')), claim('you,eth0,192.0.2.2'));
});

test('what is written is read back, and any text is read', () => {
  const word = fc.stringMatching(/^[a-z0-9.-]{1,12}$/);
  const anySlot = fc.record(
    { node: word, link: word, ip: anyIp.filter((ip) => !isIpv4Mapped(ip)) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.uniqueArray(anySlot, { selector: ({ ip }) => ip }), (slots) => {
      const text = encodeAnnouncing(slots);
      assert.equal(encodeAnnouncing(parseAnnouncing(text)), text);
      assert.equal(parseAnnouncing(text).length, slots.length);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const canonical = encodeAnnouncing(parseAnnouncing(text));
      assert.equal(encodeAnnouncing(parseAnnouncing(canonical)), canonical);
    }),
  );
});
