import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { isProblem } from '../../model/parsed.ts';
import { prefixContains, prefixOf } from '../../model/prefix.ts';
import { clusterNode } from '../announcement/cluster.fixture.ts';
import { bgpConfig } from './advertisement.fixture.ts';
import { resolveRouterId, routerIdSources } from './resolve-router-id.ts';

const node = clusterNode('node1', {
  internalIps: [ipOf('2001:db8::1'), ipOf('169.254.0.1'), ipOf('192.0.2.11')],
  externalIps: [ipOf('203.0.113.1')],
  annotations: new Map([
    ['example.com/id', '198.51.100.9'],
    ['example.com/bad', 'lo'],
  ]),
});

function resolve(global: object, on = node): string {
  const found = resolveRouterId(bgpConfig({ global: { asn: 64_500, ...global } }).global, on);
  if (isProblem(found)) return `${found.problems[0]?.message}`;
  return `${found.value.ip} ${found.value.source}`;
}

/** As a user writes it: `${NODE_IP}`. */
const template = (what: string) => `\${${what}}`;

test('it is what is written, or what the template names', () => {
  assert.equal(resolve({ routerID: '198.51.100.1' }), '198.51.100.1 explicit');
  assert.equal(resolve({ routerID: template('NODE_IP') }), '192.0.2.11 template');
  assert.equal(resolve({ routerID: template('NODE_EXTERNAL_IP') }), '203.0.113.1 template');
  const annotation = template("node.annotations['example.com/id']");
  assert.equal(resolve({ routerID: annotation }), '198.51.100.9 template');
});

test('a template that names nothing usable is a problem, not a guess', () => {
  const bare = clusterNode('node2', { internalIps: [], externalIps: [] });
  assert.match(
    resolve({ routerID: template('NODE_IP') }, bare),
    /node2 has no usable internal IPv4/,
  );
  assert.match(
    resolve({ routerID: template('NODE_EXTERNAL_IP') }, bare),
    /no usable external IPv4/,
  );
  const missing = template("node.annotations['example.com/none']");
  assert.match(resolve({ routerID: missing }), /has no annotation example.com\/none/);
  const wrong = template("node.annotations['example.com/bad']");
  assert.match(resolve({ routerID: wrong }), /not a usable IPv4 address/);
});

test('without any it is the node’s first usable IPv4 address', () => {
  assert.equal(resolve({}), '192.0.2.11 node-ipv4');
});

test('a node without IPv4 gets one that follows from its name, inside the pool', () => {
  const ids = ['a', 'b', 'node-with-a-long-name'].map((name) => {
    return resolve({ routerIDPool: '198.51.100.0/24' }, clusterNode(name, { internalIps: [] }));
  });
  assert.equal(new Set(ids).size, 3);
  for (const text of ids) {
    const [ip = '', source] = text.split(' ');
    assert.equal(source, 'hash-from-node-name');
    assert.ok(prefixContains(prefixOf('198.51.100.0/24'), ipOf(ip)));
    assert.ok(!/\.(0|255)$/.test(ip));
  }
  // FNV-1a of "a" is 0xe40c292c: 3826002220 mod 65534, plus one, into 10.255.0.0/16.
  assert.equal(
    resolve({}, clusterNode('a', { internalIps: [] })),
    `10.255.${((3826002220 % 65534) + 1) >> 8}.${((3826002220 % 65534) + 1) & 255} hash-from-node-name`,
  );
});

test('sources have upstream’s names', () => {
  assert.deepEqual(routerIdSources, ['explicit', 'template', 'node-ipv4', 'hash-from-node-name']);
});
