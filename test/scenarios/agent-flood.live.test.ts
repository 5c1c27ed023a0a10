/** What a flood of frames may do to agents: nothing but cost them time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floodKinds } from '../../lab/flood/flood-frames.ts';
import { missing } from '../../lab/missing.ts';
import { run } from '../../lab/process/run.ts';
import { AgentWorld } from './agent-world.ts';
import { floodedIps, runFlood } from './flood-trial.ts';

const skip = missing('ip', 'setpriv', 'bridge');

/** Of the container, in `deploy/agent.yaml`. */
const memoryLimitMb = 256;
/** Longer than it is between two renewals of a Lease. */
const seconds = 8;
/** As promised; the flood, the agents and the API server share what cores there are. */
const detectionMs = 2_000;
const slackMs = 2_000;

/**
 * The switch does not learn from the attacker's port, so that members still hear each other: whoever spoofs the sender of
 * its frames gets a member's traffic from any other switch (decision 0022). What is left is what agents believe.
 */
async function secureSwitch({ client }: AgentWorld): Promise<void> {
  const { segment, port } = client.nic();
  const link = ['link', 'set', 'dev', port, 'learning', 'off'];
  await run(['bridge', '-n', segment.namespace, ...link]);
}

for (const kind of floodKinds) {
  test(`a flood of ${kind} takes no address, no Lease and little memory, and a node that dies at its end is detected`, {
    skip,
  }, async (t) => {
    await using world = await AgentWorld.open({ hasPeerKey: true });
    await world.members(3);
    await world.service('web', { ips: floodedIps });
    for (const ip of floodedIps) await world.onePlace(ip);
    if (kind === 'spoofed-announcements') await secureSwitch(world);
    const order = { kind, isUnicast: false, framesPerSecond: 50_000, seconds };
    const figures = await runFlood(world, order);
    t.diagnostic(JSON.stringify(figures));
    const { peakMb, renewals, areHeld, detectedMs } = figures;
    assert.ok(peakMb < memoryLimitMb, `${peakMb} MB`);
    assert.ok(renewals >= 1, `${renewals} renewals in ${seconds} s`);
    assert.ok(areHeld, 'an address moved');
    assert.ok(detectedMs < detectionMs + slackMs, `detected after ${detectedMs} ms`);
  });
}
