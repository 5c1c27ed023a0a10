import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterNode, familySamples } from './cluster.fixture.ts';
import { held, link, ours } from './node.fixture.ts';
import {
  chooseShutdown,
  planShutdown,
  type ShutdownFacts,
  type ShutdownPolicy,
} from './shutdown-policy.ts';

const eth0 = link('eth0');
const kubeLb0 = link('kube-lb0', { index: 4 });
const any = { key: '', operator: 'Exists', value: '', effect: '', isLimited: false } as const;
const everything = [any];
/** As the DaemonSet in `deploy` has it. */
const deployed = [
  { ...any, effect: 'NoSchedule' },
  { ...any, key: 'CriticalAddonsOnly' },
];
const taint = { key: 'team', value: 'a', effect: 'NoExecute' };

function check(name: string, facts: Partial<ShutdownFacts>, expected: string): void {
  test(`decision 18: ${name}`, () => {
    const { policy, because } = chooseShutdown({
      daemonSet: 'present',
      tolerations: everything,
      onShutdown: 'Auto',
      node: clusterNode('a'),
      ...facts,
    });
    assert.equal(`${policy}: ${because}`, expected);
  });
}

check('a restart or an upgrade keeps everything', {}, 'keep: restart');
check('without an answer from the API server too', { daemonSet: 'unknown' }, 'keep: restart');
check('and without a Node', { node: undefined }, 'keep: restart');
check(
  'a cordoned node hands over',
  { node: clusterNode('a', { isCordoned: true }) },
  'handover: nodeCordoned',
);
check(
  'one that shuts down',
  { node: clusterNode('a', { isShuttingDown: true }) },
  'handover: nodeShutsDown',
);
check(
  'one that is being removed',
  { node: clusterNode('a', { isBeingRemoved: true }) },
  'handover: nodeRemoved',
);
check(
  'one with a taint that our pods do not tolerate',
  { node: clusterNode('a', { taints: [taint] }), tolerations: [] },
  'handover: nodeTainted',
);
check(
  'one with a taint of NoExecute, as we deploy our pods',
  { node: clusterNode('a', { taints: [taint] }), tolerations: deployed },
  'handover: nodeTainted',
);
check(
  'not one with a taint of NoSchedule, as we deploy our pods',
  {
    node: clusterNode('a', { taints: [{ ...taint, effect: 'NoSchedule' }] }),
    tolerations: deployed,
  },
  'keep: restart',
);
check(
  'not one with a taint that they tolerate',
  { node: clusterNode('a', { taints: [taint] }) },
  'keep: restart',
);
check(
  'nor where it is not known what they tolerate',
  { node: clusterNode('a', { taints: [taint] }), tolerations: undefined },
  'keep: restart',
);
check('Handover hands over always', { onShutdown: 'Handover' }, 'handover: configured');
check(
  'Keep keeps, also on a cordoned node',
  { onShutdown: 'Keep', node: clusterNode('a', { isCordoned: true }) },
  'keep: configured',
);
for (const onShutdown of ['Auto', 'Handover', 'Keep'] as const) {
  check(
    `uninstalling removes, with ${onShutdown}`,
    { onShutdown, daemonSet: 'leaving' },
    'remove: uninstalled',
  );
}

for (const { family, vip, farIp, nodeIp, length } of familySamples) {
  const addresses = [
    held(eth0, `${nodeIp}/${length}`),
    ours(eth0, `${vip}/${length}`, { validSeconds: 280 }),
    ours(kubeLb0, `${farIp}/${length}`, { validSeconds: Infinity }),
  ];

  const stop = (policy: ShutdownPolicy) => {
    const plan = planShutdown(policy, addresses, { graceSeconds: 120, mayExtend: true });
    const changes = plan.changes.map(({ change, reason }) => {
      const lifetime = change.kind === 'remove' ? '' : ` for ${change.address.validSeconds} s`;
      return `${change.kind} ${change.address.ip}${lifetime} (${reason})`;
    });
    return { ...plan, changes };
  };

  test(`${family}: decision 18: what is kept, or found no taker, stays for as long as the grace lasts`, () => {
    for (const policy of ['keep', 'handover'] as const) {
      assert.deepEqual(stop(policy), {
        changes: [`refresh ${vip} for 120 s (restartGrace)`],
        removesVirtualLink: false,
      });
    }
  });

  test(`${family}: what others cannot read in the Lease is never extended at the end, only cut`, () => {
    const left = (validSeconds: number) => {
      const address = ours(eth0, `${vip}/${length}`, { validSeconds });
      const { changes } = planShutdown('keep', [address], { graceSeconds: 120, mayExtend: false });
      return changes.map(
        ({ change }) => 'validSeconds' in change.address && change.address.validSeconds,
      );
    };
    assert.deepEqual([left(280), left(30)], [[120], []]);
  });

  test(`${family}: decision 18: uninstalling removes all that is ours, and nothing else`, () => {
    assert.deepEqual(stop('remove'), {
      changes: [`remove ${vip} (uninstalled)`, `remove ${farIp} (uninstalled)`],
      removesVirtualLink: true,
    });
  });
}
