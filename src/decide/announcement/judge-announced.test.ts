import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey } from '../../model/address.ts';
import { parseAnnouncing } from '../../model/announcing.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { clusterNode, familySamples, member } from './cluster.fixture.ts';
import { type AnnouncedFacts, judgeAnnounced } from './judge-announced.ts';
import { placeAddresses } from './place-addresses.ts';
import { group, service } from './pool.fixture.ts';
import { excluded, type SnapshotSpec, snapshotOf, wallNow } from './snapshot.fixture.ts';
import { macOfNode } from './wire.fixture.ts';

interface Given extends SnapshotSpec {
  readonly slots?: string;
  readonly isEmpty?: boolean;
  readonly facts?: Partial<AnnouncedFacts>;
}

/** Node `a`, in whose kernel is all that it wants, unless it is empty. */
function judge(about: LoadBalancer, { slots = '', isEmpty = false, facts, ...spec }: Given = {}) {
  const snapshot = snapshotOf({ services: [about], ...spec });
  const { decisions, wanted } = placeAddresses(snapshot);
  const { status, reason, message } = judgeAnnounced(about, parseAnnouncing(slots), {
    ...snapshot,
    decisions: new Map(decisions.map((decision) => [decision.ip, decision])),
    heldAt: new Set(isEmpty ? [] : wanted.map(({ ip, link }) => `${ip}@${link}`)),
    failures: new Map(),
    setbacks: new Map(),
    ...facts,
  });
  return `${status} ${reason}: ${message}`;
}

for (const { family, vip, vip2, farIp, length } of familySamples) {
  const web = service('web', [vip]);
  const far = (spec: object = {}) => service('web', [farIp], { from: 'remote', spec });
  const notYet = (why: string) => `${vip} is not announced: ${why}`;

  test(`${family}: design 4.13: announced is what some node's slot says`, () => {
    const slots = `a,eth0,${vip}`;
    assert.equal(judge(web, { slots }), `True Announced: ${vip} by a on eth0`);
    const two = service('web', [vip, vip2]);
    assert.equal(
      judge(two, { slots: `${slots} b,eth1,${vip2}` }),
      `True Announced: ${vip} by a on eth0; ${vip2} by b on eth1`,
    );
  });

  test(`${family}: a holder without an endpoint of a Service with Local drops what it gets`, () => {
    const local = service('web', [vip], { spec: { externalTrafficPolicy: 'Local' } });
    const told = (endpoints: Readonly<Record<string, string>> | null) =>
      judge(local, { slots: `a,eth0,${vip}`, endpoints });
    const held = `${vip} by a on eth0`;
    const lack = `${held}, which drops requests, having no endpoint for externalTrafficPolicy Local`;
    assert.equal(told({ 'shop/web': 'a' }), `True Announced: ${held}`);
    assert.equal(told({ 'shop/web': 'b' }), `False NoEndpoints: ${lack}: those are on b`);
    assert.equal(told({}), `False NoEndpoints: ${lack}: none is ready`);
    assert.equal(told(null), `True Announced: ${held}`, 'what is not known is not said');
  });

  test(`${family}: a node that is elected and does not hold the address yet is named`, () => {
    const spec = { nodes: ['a'], isEmpty: true };
    assert.equal(judge(web, spec), `False Pending: ${notYet('a is to do so')}`);
    const two = service('web', [vip2, vip]);
    assert.equal(
      judge(two, { ...spec, slots: `a,eth0,${vip2}` }),
      `False Pending: ${vip2} by a on eth0; ${notYet('a is to do so')}`,
    );
  });

  test(`${family}: why no node may hold an address is said of those in its subnet`, () => {
    assert.equal(
      judge(web, { electorate: excluded('a', 'b', 'c') }),
      `False NoEligibleNode: ${notYet('its Node is labelled to take no part in load balancing (a, b, c)')}`,
    );
    const names = ['a', 'b', 'c', 'd', 'e'];
    const nodes = names.map((name) => clusterNode(name, { isExcluded: true }));
    assert.match(judge(web, { nodes: names, electorate: { nodes } }), /\(a, b, c and 2 more\)$/);
  });

  test(`${family}: an address in nobody's subnet is not announced, and that is said`, () => {
    const pool = group('odd', {
      local:
        family === 'ipv4'
          ? { v4pools: [{ subnet: '198.51.100.0/24', pool: '198.51.100.0/24' }] }
          : { v6pools: [{ subnet: '2001:db8:ff::/64', pool: '2001:db8:ff::/120' }] },
    });
    const odd = service('web', [farIp], { from: 'odd' });
    assert.equal(
      judge(odd, { pools: [pool] }),
      `False NoEligibleNode: ${farIp} is not announced: no node has a link in its subnet`,
    );
  });

  test(`${family}: what the kernel refused is said in its words, or of whom it is known`, () => {
    const setback = { link: 'eth0', words: 'ENOBUFS', attempts: 1, retryAt: 0, isOutvoted: false };
    const facts = { setbacks: new Map([[vip, setback]]) };
    const expected = `False AnnouncementFailed: ${notYet('a: ENOBUFS')}`;
    assert.equal(judge(web, { facts, isEmpty: true }), expected);
    const failures = new Map([
      [addressKey({ ip: vip, link: 'eth0', prefixLength: length }), 'ENOBUFS'],
    ]);
    assert.equal(judge(web, { nodes: ['a'], facts: { failures }, isEmpty: true }), expected);
    const members = [member('a'), member('b', { failing: [vip] })];
    const electorate = {
      members,
      nodes: [clusterNode('a', { isExcluded: true }), clusterNode('b')],
    };
    assert.match(
      judge(web, { nodes: ['a', 'b'], electorate }),
      /^False AnnouncementFailed: .*it could not put the address on its link.* \(b\)/,
    );
  });

  test(`${family}: a conflict is said with the MAC`, () => {
    const report = { ip: vip, mac: macOfNode('x'), node: 'a', seenAt: wallNow - 1000 };
    const said = `False AddressConflict: ${notYet(`${macOfNode('x')} has it`)}`;
    assert.equal(judge(web, { more: { reports: new Map([[vip, report]]) } }), said);
    const old = { ...report, seenAt: wallNow - 300_000 };
    assert.notEqual(judge(web, { more: { reports: new Map([[vip, old]]) } }), said);
  });

  test(`${family}: trust: a conflict that stands on the Service itself is not believed`, () => {
    const mark = `${vip},${macOfNode('x')},a,2026-06-01T12:00:00Z`;
    const forged = service('web', [vip], { annotations: { 'purelb.io/conflict': mark } });
    assert.equal(judge(forged), judge(web));
  });

  test(`${family}: a remote address is vouched for by the node's own virtual link`, () => {
    assert.equal(judge(far()), `True Announced: ${farIp} on kube-lb0 of every node`);
    assert.equal(judge(far(), { isEmpty: true }), `False Pending: ${farIp} is not announced yet`);
    const local = far({ externalTrafficPolicy: 'Local' });
    assert.equal(
      judge(local, { endpoints: { 'shop/web': 'a' } }),
      `True Announced: ${farIp} on kube-lb0 of the nodes with endpoints`,
    );
    assert.equal(
      judge(local, { endpoints: { 'shop/web': 'b' } }),
      `True Announced: ${farIp} on kube-lb0 of the nodes with endpoints`,
      'as where this node has endpoints of the other family only',
    );
    assert.equal(
      judge(local, { endpoints: {} }),
      `False NoEndpoints: ${farIp} is not announced: no endpoint is ready`,
    );
  });
}
