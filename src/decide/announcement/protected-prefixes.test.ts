import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { clusterNode, familySamples, member } from './cluster.fixture.ts';
import { held, link, ours, route } from './node.fixture.ts';
import { collectProtected, findCaptured, type ProtectedFacts } from './protected-prefixes.ts';

const nothing: ProtectedFacts = {
  nodes: [],
  members: [],
  kernel: { links: [], addresses: [], routes: [] },
  apiServers: [],
};
const eth0 = link('eth0');
const ipvs = link('kube-ipvs0', { index: 8, isNoArp: true });

for (const { family, elsewhere, farIp, farIp2, length, hostLength, gateway } of familySamples) {
  const wide = `${farIp}/${length}`;
  const capture = (prefix: string, facts: Partial<ProtectedFacts>) =>
    findCaptured(prefixOf(prefix), collectProtected({ ...nothing, ...facts }))?.what;

  const kernel = (...addresses: readonly ReturnType<typeof held>[]) => ({
    kernel: { links: [eth0, ipvs], addresses, routes: [] },
  });

  test(`${family}: T11: a prefix must not capture a node, a subnet, a gateway or the API server`, () => {
    assert.equal(capture(wide, {}), undefined);
    assert.equal(
      capture(wide, { nodes: [clusterNode('b', { internalIps: [farIp2] })] }),
      `the address ${farIp2} of node b`,
    );
    assert.equal(
      capture(wide, { nodes: [clusterNode('b', { externalIps: [farIp2] })] }),
      `the address ${farIp2} of node b`,
    );
    assert.equal(
      capture(wide, { members: [member('b', { subnets: [prefixOf(elsewhere)] })] }),
      `${elsewhere}, the subnet of node b`,
    );
    assert.equal(capture(wide, { apiServers: [farIp2] }), `the API server ${farIp2}`);
    const routes = [route(eth0, `default via ${farIp2}`)];
    assert.equal(
      capture(wide, { kernel: { links: [], addresses: [], routes } }),
      `the gateway ${farIp2}`,
    );
    const links = [{ name: 'eth0', macs: [], addresses: [], gateways: [farIp2] }];
    assert.equal(
      capture(wide, { members: [member('b', { subnets: [], links })] }),
      `the gateway ${farIp2}`,
    );
  });

  test(`${family}: T11: nor a part of a subnet`, () => {
    const part = `${farIp}/${length + 4}`;
    const members = [member('b', { subnets: [prefixOf(elsewhere)] })];
    assert.equal(capture(part, { members }), `${elsewhere}, the subnet of node b`);
  });

  test(`${family}: one address alone captures nothing`, () => {
    const members = [member('b', { subnets: [prefixOf(elsewhere)] })];
    assert.equal(capture(`${farIp}/${hostLength}`, { members }), undefined);
  });

  test(`${family}: this node's own addresses count, those of Services do not`, () => {
    const theirs = `${farIp2}/${length}`;
    assert.equal(capture(wide, kernel(held(eth0, theirs))), `the address ${farIp2} of this node`);
    assert.equal(capture(wide, kernel(ours(eth0, theirs))), undefined);
    assert.equal(capture(wide, kernel(held(ipvs, theirs))), undefined);
  });

  test(`${family}: what lies elsewhere is no obstacle`, () => {
    const nodes = [clusterNode('b', { internalIps: [ipOf('203.0.113.5'), ipOf(gateway)] })];
    assert.equal(capture(wide, { nodes, members: [member('b')] }), undefined);
  });
}
