import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from './ip.fixture.ts';
import { broadcastMac, isGroupMac, macFromBytes, macOf, macToBytes, parseMac } from './mac.ts';
import { isProblem } from './parsed.ts';

test('colons or dashes, either case: one canonical text', () => {
  for (const text of ['02:00:5e:10:00:0a', '02-00-5E-10-00-0A', '02:00:5E:10:00:0a']) {
    assert.deepEqual(parseMac(text), { value: '02:00:5e:10:00:0a' });
  }
});

test('broadcast and multicast are for a group, all others for one', () => {
  const macs = ['ff:ff:ff:ff:ff:ff', '33:33:00:00:00:01', '02:00:5e:10:00:01'].map(macOf);
  assert.deepEqual(macs.map(isGroupMac), [true, true, false]);
});

test('what is not a MAC address is refused', () => {
  for (const text of [
    '',
    '02:00:5e:10:00',
    '02:00:5e:10:00:0a:0b',
    '2:0:5e:10:0:a',
    '02:00:5e:10:00:0g',
    '02:00-5e:10:00:0a',
    '02005e10000a',
    '02:00:5e:10:00:0a\n',
  ]) {
    assert.deepEqual(
      parseMac(text, 'mac'),
      {
        problems: [
          {
            path: 'mac',
            message: `"${text.replace('\n', '\ufffd')}" is not a MAC address such as 02:00:5e:10:00:01`,
          },
        ],
      },
      text,
    );
  }
  assert.throws(() => macOf('nonsense'), TypeError);
});

test('the broadcast address is all ones', () => {
  assert.deepEqual(macToBytes(broadcastMac), new Uint8Array(6).fill(0xff));
});

test('six bytes and text are the same address', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 6, maxLength: 6 }), (bytes) => {
      const mac = macFromBytes(bytes);
      assert.deepEqual(macToBytes(mac), bytes);
      assert.deepEqual(parseMac(mac), { value: mac });
    }),
  );
  assert.throws(() => macFromBytes(new Uint8Array(8)), /has 6 bytes, not 8/);
});

test('any text parses or is refused', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const parsed = parseMac(text);
      if (!isProblem(parsed)) assert.deepEqual(parseMac(parsed.value), parsed);
    }),
  );
});
