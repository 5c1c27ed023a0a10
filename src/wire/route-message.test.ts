import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyFamily, ipsOf } from '../model/ip.fixture.ts';
import { addressBits, type Family } from '../model/ip.ts';
import type { Route } from '../model/route.ts';
import { survivesHostileInput } from './hostile-input.fixture.ts';
import { frames } from './netlink-frames.fixture.ts';
import { decodeMessages } from './netlink-message.ts';
import { decodeRoute, encodeRoute, encodeRouteQuery, isDerivedRoute } from './route-message.ts';

function bodyOf(frame: Uint8Array): Uint8Array {
  return decodeMessages(frame)[0]?.body ?? assert.fail('no message');
}

const boot = { table: 254, protocol: 3, scope: 0, type: 'unicast', metric: 0 };
const to = (ip: string, prefixLength: number) => ({ destination: { ip, prefixLength } });
const hop = (gateway: string, weight = 1) => ({ linkIndex: 2, gateway, weight });

const captured = [
  ['routeDefault4', { ...boot, family: 'ipv4', metric: 100, nextHops: [hop('192.0.2.1')] }],
  [
    'routeConnected4',
    {
      ...boot,
      family: 'ipv4',
      protocol: 2,
      scope: 253,
      ...to('192.0.2.0', 24),
      source: '192.0.2.10',
      nextHops: [{ linkIndex: 2, weight: 1 }],
    },
  ],
  [
    'routeMultipath4',
    {
      ...boot,
      family: 'ipv4',
      ...to('203.0.113.64', 26),
      nextHops: [hop('192.0.2.2', 3), hop('192.0.2.3')],
    },
  ],
  [
    'routeVia6',
    { ...boot, family: 'ipv4', ...to('203.0.113.128', 26), nextHops: [hop('2001:db8::1')] },
  ],
  [
    'routeBlackhole',
    {
      ...boot,
      family: 'ipv4',
      table: 1000,
      type: 'blackhole',
      ...to('198.51.100.64', 26),
      nextHops: [],
    },
  ],
  [
    'routeSource',
    {
      ...boot,
      family: 'ipv4',
      scope: 253,
      ...to('198.51.100.128', 26),
      source: '192.0.2.20',
      nextHops: [{ linkIndex: 2, weight: 1 }],
    },
  ],
  ['routeDefault6', { ...boot, family: 'ipv6', metric: 50, nextHops: [hop('2001:db8::1')] }],
  [
    'routeMultipath6',
    {
      ...boot,
      family: 'ipv6',
      metric: 1024,
      ...to('2001:db8:1::', 48),
      nextHops: [hop('2001:db8::2'), hop('2001:db8::3', 2)],
    },
  ],
] as const;

for (const [name, expected] of captured) {
  test(`reads ${name} and can write it again`, () => {
    const route = decodeRoute(bodyOf(frames[name]));
    assert.deepEqual(route, expected);
    assert.deepEqual(decodeRoute(encodeRoute(route ?? assert.fail())), route);
  });
}

test('reads iproute2’s requests', () => {
  assert.deepEqual(decodeRoute(bodyOf(frames.requestRouteMultipath)), {
    ...boot,
    family: 'ipv4',
    protocol: 186,
    metric: 20,
    ...to('203.0.113.192', 26),
    nextHops: [hop('192.0.2.2'), hop('192.0.2.3', 4)],
  });
  assert.deepEqual(decodeRoute(bodyOf(frames.requestRouteVia6)), {
    ...boot,
    family: 'ipv4',
    ...to('203.0.113.64', 27),
    nextHops: [hop('2001:db8::1')],
  });
});

function routesOf(family: Family): fc.Arbitrary<Route> {
  const u32 = fc.integer({ min: 1, max: 0xffffffff });
  const weights = fc.integer({ min: 1, max: 256 });
  const hops = fc.record(
    { linkIndex: u32, gateway: anyFamily.chain(ipsOf), weight: weights },
    { requiredKeys: ['linkIndex', 'weight'], noNullPrototype: true },
  );
  return fc.record(
    {
      family: fc.constant(family),
      destination: fc.record(
        { ip: ipsOf(family), prefixLength: fc.integer({ min: 1, max: addressBits[family] }) },
        { noNullPrototype: true },
      ),
      nextHops: fc.array(hops, { maxLength: 4 }),
      source: ipsOf(family),
      metric: fc.nat(),
      table: u32,
      protocol: fc.nat(255),
      type: fc.constantFrom('unicast', 'local', 'blackhole', 'prohibit'),
      scope: fc.nat(255),
    },
    {
      requiredKeys: ['family', 'nextHops', 'metric', 'table', 'protocol', 'type', 'scope'],
      noNullPrototype: true,
    },
  );
}

test('any route survives encoding and decoding', () => {
  fc.assert(
    fc.property(anyFamily.chain(routesOf), (route) => {
      assert.deepEqual(decodeRoute(encodeRoute(route)), route);
    }),
  );
});

test('a table whose number does not fit the header is named there as the kernel does', () => {
  const body = bodyOf(frames.routeBlackhole);
  const again = encodeRoute(decodeRoute(body) ?? assert.fail());
  assert.deepEqual([again[4], body[4]], [252, 252]);
});

test('entries of the local table and cached lookups are told apart without decoding', () => {
  assert.equal(isDerivedRoute(bodyOf(frames.routeLocal)), true);
  assert.equal(isDerivedRoute(bodyOf(frames.routeDefault6)), false);
  const cached = bodyOf(frames.routeDefault6).slice();
  cached[9] = 2;
  assert.equal(isDerivedRoute(cached), true);
  assert.equal(isDerivedRoute(new Uint8Array(3)), false);
});

test('other families are not routes to us, other types are kept as such', () => {
  assert.equal(decodeRoute(Uint8Array.of(28, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0)), undefined);
  const nat = decodeRoute(Uint8Array.of(2, 0, 0, 0, 254, 3, 0, 10, 0, 0, 0, 0));
  assert.equal(nat?.type, 'other');
  assert.throws(() => encodeRoute(nat ?? assert.fail()), TypeError);
});

test('the query for all routes is an empty header', () => {
  assert.deepEqual(encodeRouteQuery(), new Uint8Array(12));
});

test('impossible routes are malformed', () => {
  const rest = [0, 0, 254, 3, 0, 1, 0, 0, 0, 0];
  const cases = [
    [[2, 33, ...rest], 'route message: prefix length 33'],
    [[2, 24, ...rest], 'route message: prefix length 24 without a destination'],
    [[10, 24, ...rest, 8, 0, 1, 0, 192, 0, 2, 0], 'route message: 192.0.2.0 in a message for ipv6'],
  ] as const;
  for (const [bytes, message] of cases) {
    assert.throws(() => decodeRoute(Uint8Array.from(bytes)), { code: 'WIRE_MALFORMED', message });
  }
});

test('hostile bytes decode or throw a WireError', () => {
  survivesHostileInput(
    decodeRoute,
    captured.map(([name]) => bodyOf(frames[name])),
  );
});
