import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { lengthOutside } from './length-outside.ts';
import { World } from './world.fixture.ts';

const recorded = new Map([['ext', [{ subnet: prefixOf('203.0.113.0/26'), prefixLength: 26 }]]]);
const netbox = { url: 'https://netbox.example', tenant: 't', prefixes: ['203.0.113.0/24'] };

function lengthIn(
  spec: object | undefined,
  text: string,
  names: readonly string[] = ['ext'],
): number | undefined {
  const world = spec === undefined ? new World() : new World().group('ext', spec);
  const pool = world.state().pools.byName.get('ext');
  return lengthOutside(pool, { recorded, names }, ipOf(text));
}

test('what the group fixes counts before what is recorded, and that before its Netbox prefixes', () => {
  assert.equal(lengthIn({ netbox: { ...netbox, aggregation: '/28' } }, '203.0.113.7'), 28);
  assert.equal(lengthIn({ netbox }, '203.0.113.7'), 26);
  assert.equal(lengthIn({ netbox }, '203.0.113.77'), 24);
});

test('where nothing says it, it is not known', () => {
  assert.equal(lengthIn({ external: { provider: 'acme' } }, '203.0.113.77'), undefined);
  assert.equal(lengthIn(undefined, '203.0.113.7'), 26);
  assert.equal(lengthIn(undefined, '2001:db8::7'), undefined);
  assert.equal(lengthIn(undefined, '203.0.113.7', ['other']), undefined, 'others do not say it');
});
