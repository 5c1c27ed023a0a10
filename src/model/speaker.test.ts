import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bfdStates, peerKey, sessionStates } from './speaker.ts';

test('a neighbour is called by its address, or by the link it is found on', () => {
  assert.equal(peerKey({ kind: 'address', address: '192.0.2.1' }), '192.0.2.1');
  assert.equal(peerKey({ kind: 'link', link: 'eth1' }), 'iface:eth1');
});

test('states stand in the order of their numbers at the daemon', () => {
  assert.equal(sessionStates[6], 'Established');
  assert.equal(bfdStates[1], 'Up');
});
