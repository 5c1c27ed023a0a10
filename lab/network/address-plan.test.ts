import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatPrefix, prefixContains, prefixOf } from '../../src/model/prefix.ts';
import {
  addressIn,
  lanSegment,
  largestLan,
  macFor,
  outsideSegment,
  podSubnets,
} from './address-plan.ts';

const reserved = [
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '198.18.0.0/15',
  '2001:db8::/32',
].map(prefixOf);

const segments = fc.oneof(
  fc.integer({ min: 1, max: largestLan }).map(lanSegment),
  fc.constant(outsideSegment),
);
const hostNumbers = fc.integer({ min: 1, max: 99 });

test('a host has the same last digits in both families and in its MAC', () => {
  const { ipv4, ipv6, number } = lanSegment(2);
  assert.deepEqual(
    [ipv4, ipv6].map((subnet) => subnet && formatPrefix(addressIn(subnet, 14))),
    ['198.51.100.14/24', '2001:db8:2::14/64'],
  );
  assert.equal(macFor(number, 0, 14), '02:00:00:02:00:14');
});

test('every address comes from a range reserved for documentation or tests', () => {
  fc.assert(
    fc.property(segments, hostNumbers, ({ ipv4, ipv6 }, number) => {
      for (const subnet of [ipv4, ipv6]) {
        assert.ok(subnet);
        const { ip } = addressIn(subnet, number);
        assert.ok(reserved.some((range) => prefixContains(range, ip)));
      }
    }),
  );
});

test('no two hosts share an address or a MAC', () => {
  const place = fc.record({ segment: segments, host: hostNumbers });
  const identity = ({ segment, host }: { segment: typeof outsideSegment; host: number }) => ({
    who: `${segment.name} ${host}`,
    ipv4: addressIn(segment.ipv4 ?? prefixOf('192.0.2.0/24'), host).ip,
    ipv6: addressIn(segment.ipv6 ?? prefixOf('2001:db8::/64'), host).ip,
    mac: macFor(segment.number, 0, host),
  });
  fc.assert(
    fc.property(place, place, (left, right) => {
      const [a, b] = [identity(left), identity(right)];
      if (a.who === b.who) assert.deepEqual(a, b);
      else for (const key of ['ipv4', 'ipv6', 'mac'] as const) assert.notEqual(a[key], b[key]);
    }),
  );
});

test('half of the outside range stays free for routed pools', () => {
  const { ipv4 } = outsideSegment;
  assert.deepEqual(ipv4, prefixOf('203.0.113.0/25'));
});

test('pods of every node have subnets of their own, beside those of the LANs', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 79 }), segments, (node, segment) => {
      const [ipv4, ipv6] = podSubnets(node);
      for (const subnet of [ipv4, ipv6])
        assert.ok(reserved.some((range) => prefixContains(range, subnet.ip)));
      assert.ok(segment.ipv4 && !prefixContains(segment.ipv4, ipv4.ip));
      assert.ok(segment.ipv6 && !prefixContains(segment.ipv6, ipv6.ip));
    }),
  );
  assert.deepEqual(podSubnets(4).map(formatPrefix), ['198.19.4.0/24', '2001:db8:f004::/64']);
});

test('an address beyond its subnet is refused', () => {
  assert.throws(() => addressIn(prefixOf('192.0.2.0/28'), 16), /host 16 does not fit/);
  assert.throws(() => lanSegment(0), /numbered from 1/);
  assert.throws(() => lanSegment(99), /numbered from 1 to 98/);
});
