import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './world.fixture.ts';

const url = 'https://netbox.example';
const netbox = (prefixes: readonly string[]) => ({ netbox: { url, tenant: 't', prefixes } });
const pin = (addresses: string) => ({ annotations: { addresses } });

/** The pool whose source is asked, or what is said instead. */
function askedBy(world: World): string | undefined {
  const decision = world.settle().decision('a/1');
  if (decision.kind === 'ignore') return decision.why;
  const pools = decision.waitsFor.flatMap((wait) =>
    wait.kind === 'source' ? [`${wait.request.pool} for ${wait.request.addresses.join()}`] : [],
  );
  return pools[0] ?? decision.condition?.message;
}

function groups(): World {
  return new World()
    .group('default', netbox(['198.51.100.0/24']))
    .group('dmz', netbox(['203.0.113.0/24', '2001:db8::/64']))
    .group('own', ['192.0.2.0/30']);
}

test('an address that is asked for without a group is asked of the Netbox group that has it', () => {
  assert.equal(askedBy(groups().service('a/1', pin('203.0.113.7'))), 'dmz for 203.0.113.7');
  assert.equal(askedBy(groups().service('a/1', pin('198.51.100.7'))), 'default for 198.51.100.7');
  const long = { ...pin('2001:db8::7'), families: ['IPv6'] as const };
  assert.equal(askedBy(groups().service('a/1', long)), 'dmz for 2001:db8::7');
});

test('an address of no group is refused, and one of our own ranges is given as before', () => {
  const stranger = askedBy(groups().service('a/1', pin('100.64.0.1')));
  assert.equal(stranger, '"100.64.0.1" does not belong to any group');
  const own = groups().service('a/1', pin('192.0.2.1')).settle();
  assert.deepEqual(own.addresses('a/1'), ['192.0.2.1']);
});

test('a group that does not say which addresses it has is asked if the Service would get it anyway', () => {
  const byTenant = { netbox: { url, tenant: 't' } };
  const world = new World().group('default', byTenant).group('other', byTenant);
  assert.equal(askedBy(world.service('a/1', pin('203.0.113.7'))), 'default for 203.0.113.7');
  const external = new World().group('default', { external: { provider: 'acme' } });
  assert.equal(askedBy(external.service('a/1', pin('203.0.113.7'))), 'default for 203.0.113.7');
});

test('a group that the Service may not use is not asked, and the Service says why', () => {
  const confined = { namespaces: ['b'], enforceNamespaces: true, ...netbox(['203.0.113.0/24']) };
  const world = new World().group('b-only', confined).service('a/1', pin('203.0.113.7'));
  assert.match(askedBy(world) ?? '', /^namespace denied: ServiceGroup "b-only"/);
});
