import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { encodeKubeProxyKey, encodeKubeProxyTable } from './kube-proxy-table.ts';
import { decodeElements } from './nft-set.ts';

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');

test('a question is put to the table of the address’s family', () => {
  assert.equal(encodeKubeProxyTable('ipv4')[0], 2);
  assert.equal(encodeKubeProxyTable('ipv6')[0], 10);
  assert.equal(Buffer.from(encodeKubeProxyTable('ipv6')).toString().includes('kube-proxy'), true);
});

test('a key is address, protocol and port, each filled up to four bytes', () => {
  const v4 = encodeKubeProxyKey('service-ips', {
    ip: ipOf('192.0.2.100'),
    protocol: 'TCP',
    port: 80,
  });
  assert.equal(v4[0], 2);
  const { table, set, keys } = decodeElements(v4);
  assert.deepEqual(
    [table, set, keys.map(hex)],
    ['kube-proxy', 'service-ips', ['c00002640600000000500000']],
  );
  const v6 = encodeKubeProxyKey('no-endpoint-services', {
    ip: ipOf('2001:db8::100'),
    protocol: 'UDP',
    port: 53,
  });
  assert.equal(v6[0], 10);
  assert.equal(hex(decodeElements(v6).keys[0]), '20010db80000000000000000000001001100000000350000');
});
