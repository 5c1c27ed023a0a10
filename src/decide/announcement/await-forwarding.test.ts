import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ForwardingSight } from './await-forwarding.ts';
import { familySamples } from './cluster.fixture.ts';
import { ours } from './node.fixture.ts';
import { checkedGroup, localGroup, service } from './pool.fixture.ts';
import { rankNodes } from './rank-nodes.ts';
import { configOf, eth0, now, place, type SnapshotSpec, usualKernel } from './snapshot.fixture.ts';
import { macOfNode } from './wire.fixture.ts';

for (const { family, vip, length } of familySamples) {
  const [me = '', other = ''] = rankNodes(vip, ['a', 'b', 'c']);
  const ports = [
    { protocol: 'TCP', port: 80 },
    { protocol: 'UDP', port: 53 },
  ];
  const annotation = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';
  const slotOf = (node: string) => ({ [annotation]: `${node},eth0,${vip}` });
  const web = (annotations: Readonly<Record<string, string>> = {}) =>
    service('web', [vip], { annotations, spec: { ports } });
  const forwards = ports.map((port) => ({ ip: vip, ...port }));

  /** What becomes of the address, where rules were asked for `ago` ms ago with this answer; undefined: not yet. */
  const decide = (sight: ForwardingSight | undefined, spec: SnapshotSpec = {}) => {
    const forwarding = new Map(sight === undefined ? [] : [[vip, sight]]);
    const [decision] = place({
      services: [web()],
      pools: [localGroup],
      ...spec,
      more: { forwarding, ...spec.more },
      electorate: { me },
    }).decisions;
    assert.ok(decision !== undefined);
    return decision;
  };
  const summary = (...given: Parameters<typeof decide>) => {
    const { outcome, reason, wakeAt, forwards: asked } = decide(...given);
    return [outcome.kind, reason, wakeAt, asked];
  };
  const asked = (ago: number, answer: ForwardingSight['answer']) => ({ since: now - ago, answer });
  const taken = ['local', 'electionWon', undefined, undefined];
  const waits = (wakeAt: number) => ['absent', 'awaitingForwarding', wakeAt, forwards];

  test(`${family}: a new address waits until kube-proxy forwards all its ports, for a second and a half at most`, () => {
    assert.deepEqual(summary(undefined), waits(now + 1500));
    assert.deepEqual(summary(asked(5, undefined)), waits(now + 1495));
    assert.deepEqual(summary(asked(300, 'missing')), waits(now + 1200));
    assert.deepEqual(summary(asked(300, 'standing')), taken);
    assert.deepEqual(summary(asked(1500, 'missing')), taken);
  });

  test(`${family}: where nobody can tell whether kube-proxy forwards, nothing waits`, () => {
    assert.deepEqual(summary(asked(1, 'unreadable')), taken);
    assert.deepEqual(summary(undefined, { more: { forwarding: undefined } }), taken);
  });

  test(`${family}: the wait is as long as configured, and 0 is none`, () => {
    const config = configOf({ forwardingWait: '3s' });
    assert.deepEqual(summary(asked(300, 'missing'), { config }), waits(now + 2700));
    const off = { config: configOf({ forwardingWait: '0s' }) };
    assert.deepEqual(summary(undefined, off), taken);
  });

  test(`${family}: kube-proxy is looked at while the wire is asked, which takes no longer for it`, () => {
    const spec = { pools: [checkedGroup] };
    const { reason, asks, forwards: watched } = decide(undefined, spec);
    assert.deepEqual([reason, asks?.length, watched], ['askingTheWire', 1, forwards]);
    const look = { link: 'eth0', sentAt: [now - 30], answers: [], isDeaf: false };
    const silent = { ...spec, wire: { looks: new Map([[vip, look]]) } };
    assert.deepEqual(summary(asked(30, 'standing'), silent), taken);
  });

  test(`${family}: what a node holds, had before or takes over never waits`, () => {
    const missing = asked(1, 'missing');
    const addresses = [...(usualKernel.addresses ?? []), ours(eth0, `${vip}/${length}`)];
    assert.deepEqual(summary(missing, { kernel: { addresses } }), taken);
    for (const node of [me, other]) {
      const look = { link: 'eth0', sentAt: [now - 100, now - 60], answers: [], isDeaf: false };
      const silent = new Map([['eth0', new Set([other])]]);
      const wire = { looks: new Map([[vip, look]]), silent };
      const { outcome, reason } = decide(missing, { services: [web(slotOf(node))], wire });
      assert.deepEqual([outcome.kind, reason], ['local', 'electionWon']);
    }
  });

  test(`${family}: what another member answers for is not asked for`, () => {
    const answers = [{ mac: macOfNode(other), at: now - 9 }];
    const look = { link: 'eth0', sentAt: [now - 10], answers, isDeaf: false };
    const wire = { looks: new Map([[vip, look]]), claims: new Map([[vip, new Set([other])]]) };
    const { outcome, forwards: watched } = decide(undefined, { pools: [checkedGroup], wire });
    assert.deepEqual([outcome.kind, watched], ['absent', undefined]);
  });
}
