import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples } from './cluster.fixture.ts';
import { held, link, ours } from './node.fixture.ts';
import { armForRestart, findAging } from './restart-grace.ts';

const eth0 = link('eth0');

for (const { family, vip, vip2, farIp, nodeIp, length } of familySamples) {
  test(`${family}: only ours that have a lifetime and are in use age`, () => {
    const aging = ours(eth0, `${vip}/${length}`);
    const addresses = [
      aging,
      ours(eth0, `${vip2}/${length}`, { validSeconds: Infinity }),
      ours(eth0, `${farIp}/${length}`, { hasFailedDad: true }),
      held(eth0, `${nodeIp}/${length}`, { validSeconds: 3600 }),
    ];
    assert.deepEqual(findAging(addresses), [aging]);
  });

  test(`${family}: arming changes the lifetime and nothing else`, () => {
    const arm = (more: object) => armForRestart(ours(eth0, `${vip}/${length}`, more), 120);
    assert.deepEqual(arm({ preferredSeconds: 0 }), {
      change: {
        kind: 'refresh',
        address: {
          link: 'eth0',
          ip: vip,
          prefixLength: length,
          validSeconds: 120,
          preferredSeconds: 0,
          noPrefixRoute: true,
          noDad: true,
        },
      },
      reason: 'restartGrace',
    });
    const { change } = arm({ noPrefixRoute: false });
    const wanted = change.kind === 'refresh' ? change.address : undefined;
    assert.deepEqual([wanted?.preferredSeconds, wanted?.noPrefixRoute], [120, false]);
  });
}
