import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples } from './cluster.fixture.ts';
import { held, link, ours } from './node.fixture.ts';
import { planShutdown, type ShutdownFacts } from './shutdown-policy.ts';

const eth0 = link('eth0');
const kubeLb0 = link('kube-lb0', { index: 4 });

for (const { family, vip, farIp, nodeIp, length } of familySamples) {
  const addresses = [
    held(eth0, `${nodeIp}/${length}`),
    ours(eth0, `${vip}/${length}`, { validSeconds: 280 }),
    ours(kubeLb0, `${farIp}/${length}`, { validSeconds: Infinity }),
  ];

  const stop = (daemonSet: ShutdownFacts['daemonSet']) => {
    const plan = planShutdown({ daemonSet, held: addresses, graceSeconds: 120 });
    const changes = plan.changes.map(({ change, reason }) => {
      const lifetime = change.kind === 'remove' ? '' : ` for ${change.address.validSeconds} s`;
      return `${change.kind} ${change.address.ip}${lifetime} (${reason})`;
    });
    return { ...plan, changes };
  };

  test(`${family}: decision 18: a restart keeps everything, for as long as the grace lasts`, () => {
    for (const state of ['present', 'unknown'] as const) {
      assert.deepEqual(stop(state), {
        policy: 'keep',
        changes: [`refresh ${vip} for 120 s (restartGrace)`],
        removesVirtualLink: false,
      });
    }
  });

  test(`${family}: decision 18: uninstalling removes all that is ours, and nothing else`, () => {
    assert.deepEqual(stop('leaving'), {
      policy: 'remove',
      changes: [`remove ${vip} (uninstalled)`, `remove ${farIp} (uninstalled)`],
      removesVirtualLink: true,
    });
  });
}
