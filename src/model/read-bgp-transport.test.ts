import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { isProblem, must } from './parsed.ts';
import {
  readBfd,
  readFamilySettings,
  readLeastTtl,
  readMultihopTtl,
  readTimers,
  readTransport,
} from './read-bgp-transport.ts';

test('blocks that are absent are not stated', () => {
  for (const reader of [readTimers, readTransport, readMultihopTtl, readLeastTtl, readBfd]) {
    assert.equal(must(read(undefined, (cursor) => reader(cursor) as unknown)), undefined);
  }
});

test('families have limits and paths of their own', () => {
  const entry = {
    family: 'ipv4-unicast',
    enabled: true,
    prefixLimit: { maxPrefixes: 10, shutdownThresholdPct: 80 },
    addPaths: { receive: true, sendMax: 4 },
  };
  assert.deepEqual(must(read(entry, readFamilySettings)), [
    {
      family: 'ipv4-unicast',
      isEnabled: true,
      prefixLimit: { maxPrefixes: 10, warnAtPercent: 80 },
      addPaths: { receives: true, sendMax: 4 },
    },
  ]);
});

test('a family that is not ours is refused where it is on, and passed over where it is off', () => {
  assert.ok(isProblem(read({ family: 'ipv4-vpn', enabled: true }, readFamilySettings)));
  const reading = read({ family: 'ipv4-vpn', enabled: false }, readFamilySettings);
  assert.deepEqual(must(reading), []);
  assert.equal(reading.warnings.length, 1);
});

test('timers of zero are the daemon’s, and keepalives must fit into the hold time', () => {
  const timers = (config: object) => read({ config }, readTimers);
  assert.deepEqual(must(timers({ holdTime: 9, keepaliveInterval: 3, connectRetry: 0 })), {
    connectRetry: undefined,
    holdTime: 9,
    keepalive: 3,
  });
  const reading = timers({ holdTime: 9, keepaliveInterval: 9 });
  assert.deepEqual(isProblem(reading) && reading.problems, [
    { path: 'config.keepaliveInterval', message: 'must be shorter than holdTime: write 3' },
  ]);
  assert.ok(isProblem(timers({ holdTime: 2 })));
  assert.equal(timers({ minimumAdvertisementInterval: 5 }).warnings.length, 1);
});

test('TTL security is off unless enabled, and for direct neighbours unless a TTL is given', () => {
  const ttl = (block: object) => must(read(block, readLeastTtl));
  assert.equal(ttl({ enabled: false, ttlMin: 254 }), undefined);
  assert.equal(ttl({ enabled: true }), 255);
  assert.equal(ttl({ enabled: true, ttlMin: 253 }), 253);
  assert.ok(isProblem(read({ ttlMin: 253 }, readLeastTtl)));
});

test('the TCP connection has an address, an interface and a side', () => {
  const written = {
    localAddress: '192.0.2.9',
    passiveMode: true,
    bindInterface: 'eth0',
    ipTos: 192,
  };
  assert.deepEqual(must(read(written, readTransport)), {
    localAddress: '192.0.2.9',
    isPassive: true,
    bindInterface: 'eth0',
    ipTos: 192,
  });
  assert.deepEqual(must(read({ localAddress: '' }, readTransport)), {
    localAddress: undefined,
    isPassive: false,
    bindInterface: undefined,
    ipTos: undefined,
  });
});

test('hops count only when multihop is on', () => {
  assert.equal(must(read({ enabled: true }, readMultihopTtl)), 255);
  assert.equal(must(read({ enabled: true, multihopTtl: 2 }, readMultihopTtl)), 2);
  assert.equal(must(read({ enabled: false, multihopTtl: 2 }, readMultihopTtl)), undefined);
});

test('BFD is on when its block is there, down to 50 ms', () => {
  assert.deepEqual(must(read({ desiredMinimumTxInterval: 50_000 }, readBfd)), {
    isEnabled: true,
    port: 3784,
    transmitMicroseconds: 50_000,
    receiveMicroseconds: 1_000_000,
    multiplier: 3,
  });
  assert.equal(must(read({ enabled: false }, readBfd))?.isEnabled, false);
  assert.ok(isProblem(read({ requiredMinimumReceive: 49_999 }, readBfd)));
});
