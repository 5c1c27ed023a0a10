/** What the first clients of a new Service get, with a real kube-proxy that gathers changes for a second. */

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { defaultSyncPeriod } from '../../lab/control-plane/kube-proxy.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { monotonicMs } from '../../lab/monotonic.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { lbNodeAgents } from '../../src/kube/resources.ts';
import { installNamespace } from './agent-world.ts';
import { type FirstAnswers, startImpatientClient } from './impatient-client.ts';
import { type ProxyMode, RealWorld } from './real-world.ts';
import { serve } from './served.ts';

/** Longer than kube-proxy gathers changes: then it takes the next one up at once, and those that follow later. */
const idleMs = 1200;
const commands = { nftables: 'nft', iptables: 'iptables' } as const;
const isRefused = ({ refused }: FirstAnswers) => refused > 0;
const ips = ['192.0.2.100', '2001:db8:1::100'];

for (const mode of ['nftables', 'iptables'] as const) {
  const skip =
    missing('ip', 'ping', 'setpriv', commands[mode]) ||
    missingBinaries('etcd', 'kube-apiserver', 'kube-proxy');
  describe(`the first clients of a new Service, kube-proxy with ${mode}`, { skip }, () => {
    scenarios(mode);
  });
}

function scenarios(mode: ProxyMode): void {
  let world: RealWorld;
  before(async () => {
    world = await RealWorld.open({ mode, nodes: [2], minSyncPeriod: defaultSyncPeriod });
  });
  afterEach(() => world?.clear());
  after(() => world?.[Symbol.asyncDispose]());

  /** Of each address: what clients got that had been trying before the Service was there. */
  const create = async (t: TestContext): Promise<readonly FirstAnswers[]> => {
    await sleep(idleMs);
    const clients = await Promise.all(
      ips.map((ip) => startImpatientClient(world.clients.near, { ip, port: 80 })),
    );
    const createdAt = monotonicMs();
    await serve(world, 'web', { ips, pods: [1, 2] });
    const found = await Promise.all(clients.map((client) => client.firstAnswers(10_000)));
    for (const { refused, refusedMs, answeredAt } of found) {
      const answeredMs = Math.round(answeredAt - createdAt);
      t.diagnostic(
        `${refused} refused in ${Math.round(refusedMs)} ms, answer after ${answeredMs} ms`,
      );
    }
    return found;
  };

  const configure = async (forwardingWait: '0s' | '5s') => {
    const ref = { namespace: installNamespace, name: 'default' };
    const patch = mergePatch({ spec: { local: { forwardingWait } } });
    await world.cluster.patch(lbNodeAgents, ref, patch);
    for (const number of [1, 2]) {
      await eventually(
        async () => {
          const { forwarding } = JSON.parse(await world.agents.state(number));
          assert.equal(forwarding.waitMs, forwardingWait === '0s' ? 0 : 5000);
        },
        { withinMs: 10_000 },
      );
    }
  };

  const checks = async () => {
    const texts = await Promise.all([1, 2].map((number) => world.agents.read(number, '/metrics')));
    const pattern = /^purelb_lbnodeagent_forwarding_checks_total\{outcome="(\w+)"\} (\d+)$/gm;
    const counts: Record<string, number> = {};
    for (const [, outcome = '', count] of texts.join('\n').matchAll(pattern)) {
      counts[outcome] = (counts[outcome] ?? 0) + Number(count);
    }
    return counts;
  };

  test('without a wait for kube-proxy, clients are refused until it forwards', async (t) => {
    await configure('0s');
    let found = await create(t);
    // Now and then kube-proxy takes up the Service and its address together.
    for (let tries = 1; tries < 4 && !found.every(isRefused); tries++) {
      await world.clear();
      found = await create(t);
    }
    assert.ok(found.every(isRefused));
    assert.deepEqual(await checks(), {});
  });

  test('with it nobody is refused, and the address answers as soon as kube-proxy forwards', async (t) => {
    // Longer than usual: this machine may be busy.
    await configure('5s');
    const found = await create(t);
    for (const { refused } of found) assert.equal(refused, 0);
    const { waited = 0, standing = 0, ...others } = await checks();
    assert.deepEqual([waited + standing, others], [ips.length, {}]);
  });
}
