import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyIp, anyPrefix } from './ip.fixture.ts';
import { ipOf } from './ip.ts';
import { macFromBytes, macOf } from './mac.ts';
import { encodeMemberLinks, type MemberLinks, parseMemberLinks } from './member-links.ts';
import { isProblem } from './parsed.ts';
import { prefixOf } from './prefix.ts';

const text =
  '{"version":1,"links":[{"name":"eth0","macs":["02:00:5e:10:00:01"],"addresses":["192.0.2.11/24"],"gateways":["192.0.2.1"]}]}';
const links: MemberLinks = {
  version: 1,
  links: [
    {
      name: 'eth0',
      macs: [macOf('02:00:5e:10:00:01')],
      addresses: [prefixOf('192.0.2.11/24')],
      gateways: [ipOf('192.0.2.1')],
    },
  ],
};

test('links are written and read back', () => {
  assert.equal(encodeMemberLinks(links), text);
  assert.deepEqual(parseMemberLinks(text), { value: links });
});

test('a later version may say more', () => {
  const later = text.replace('{"version":1', '{"version":2,"more":{}');
  assert.deepEqual(parseMemberLinks(later), { value: { ...links, version: 2 } });
});

test('what no agent wrote is refused with its place', () => {
  assert.deepEqual(parseMemberLinks('{', 'p'), {
    problems: [{ path: 'p', message: 'is not JSON that an agent wrote' }],
  });
  assert.deepEqual(parseMemberLinks('{"version":0,"links":[{"macs":["x"]}]}', 'p'), {
    problems: [
      { path: 'p:version', message: '0 is out of bounds: write 1 to 1000000' },
      { path: 'p:links[0].name', message: 'is missing' },
      {
        path: 'p:links[0].macs[0]',
        message: '"x" is not a MAC address such as 02:00:5e:10:00:01',
      },
    ],
  });
  for (const wrong of ['', 'null', '[]', '7', '"x"', '['.repeat(100_000)]) {
    assert.ok(isProblem(parseMemberLinks(wrong)), wrong);
  }
});

test('any links survive being written, and any text is read or refused', () => {
  const anyMac = fc.uint8Array({ minLength: 6, maxLength: 6 }).map((bytes) => macFromBytes(bytes));
  const anyLink = fc.record(
    {
      name: fc.string(),
      macs: fc.array(anyMac),
      addresses: fc.array(anyPrefix),
      gateways: fc.array(anyIp),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(anyLink, { maxLength: 5 }), (some) => {
      const value = { version: 3, links: some };
      assert.deepEqual(parseMemberLinks(encodeMemberLinks(value)), { value });
    }),
  );
  fc.assert(
    fc.property(fc.json(), (json) => {
      const parsed = parseMemberLinks(json);
      assert.ok(isProblem(parsed) || Array.isArray(parsed.value.links));
    }),
  );
});
