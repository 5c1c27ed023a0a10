/** What Kubernetes' own tests expect of `externalTrafficPolicy: Local`, with local groups alone and a real kube-proxy. */

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { eventually } from '../../lab/eventually.ts';
import { powerOff } from '../../lab/faults/power.ts';
import { missing } from '../../lab/missing.ts';
import type { Host } from '../../lab/network/host.ts';
import { startUdpClient } from '../../lab/traffic/udp-client.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { services } from '../../src/kube/resources.ts';
import { ipOf } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { RealWorld } from './real-world.ts';
import { allAnswer, nobodyAnswers, serve, setEndpoints } from './served.ts';

const skip =
  missing('ip', 'ping', 'setpriv', 'nft') ||
  missingBinaries('etcd', 'kube-apiserver', 'kube-proxy');

const ips = ['192.0.2.100', '2001:db8:1::100'];
const soon = { withinMs: 20_000 } as const;
const groups = {
  default: {
    externalTrafficPolicy: 'Preserve',
    local: {
      v4pools: [{ subnet: '192.0.2.0/24', pool: '192.0.2.100-192.0.2.109' }],
      v6pools: [{ subnet: '2001:db8:1::/64', pool: '2001:db8:1::100-2001:db8:1::109' }],
    },
  },
};

describe('externalTrafficPolicy Local on local addresses, kept by their group', { skip }, () => {
  let world: RealWorld;
  before(async () => {
    world = await RealWorld.open({ mode: 'nftables', groups });
  });
  afterEach(() => world?.clear());
  after(() => world?.[Symbol.asyncDispose]());

  const serveOn = (pods: readonly number[]) =>
    serve(world, 'web', { ips, pods, spec: { externalTrafficPolicy: 'Local' } });

  const moveTo = async (pods: readonly number[]) => {
    const endpoints = pods.map((pod) => ({ pod }));
    for (const family of ['ipv4', 'ipv6'] as const) {
      await setEndpoints(world, 'web', { family, endpoints });
    }
  };

  /** Resolves once each address is on one of these nodes, and on no other. */
  const isOn = async (...numbers: readonly number[]) => {
    for (const ip of ips) {
      await eventually(async () => {
        const places = await world.agents.places(ip);
        assert.equal(places.length, 1, places.join());
        assert.ok(
          numbers.some((number) => places[0]?.startsWith(`node${number} eth0/`)),
          places[0],
        );
      }, soon);
    }
  };

  /** Over TCP and UDP, of both families. */
  const seenBy = (pod: number, { ipv4, ipv6 }: Host) =>
    [ipv4, ipv4, ipv6, ipv6].map((ip) => `pod${pod} for ${ip}`);

  /** Resolves once this pod answers everybody, and sees who asks. */
  const isAnsweredBy = async (pod: number) => {
    for (const client of [world.clients.near, world.clients.far]) {
      await eventually(async () => {
        assert.deepEqual(await allAnswer(client, ips), seenBy(pod, client));
      }, soon);
    }
  };

  const setPolicy = (externalTrafficPolicy: string): Promise<KubeObject> => {
    const patch = mergePatch({ spec: { externalTrafficPolicy } });
    return world.cluster.patch(services, { namespace: 'shop', name: 'web' }, patch);
  };

  const read = () => world.cluster.get(services, { namespace: 'shop', name: 'web' });

  test('the address is on the node with the endpoint, which sees who asks, and follows it', async () => {
    await serveOn([2]);
    await isOn(2);
    await isAnsweredBy(2);
    for (const pod of [3, 1]) {
      await moveTo([pod]);
      await isOn(pod);
      await isAnsweredBy(pod);
    }
    const { spec } = await read();
    assert.equal((spec as { externalTrafficPolicy: string }).externalTrafficPolicy, 'Local');
  });

  test('pods get an answer from it on every node, also on those without an endpoint', async () => {
    await serveOn([2]);
    await isOn(2);
    await isAnsweredBy(2);
    for (const number of [1, 2, 3, 4]) {
      const answers = await allAnswer(world.lab.host(`pod${number}`), ips);
      for (const answer of answers) assert.match(answer, /^pod2 for /);
    }
  });

  test('the health check node port tells on which nodes endpoints are, wherever they move', async () => {
    await serveOn([2]);
    const port = healthPortOf(await read());
    assert.ok(port > 0);
    const tells = (expected: readonly number[]) =>
      eventually(async () => {
        const codes = await Promise.all(
          world.lab.nodes.map(({ ipv4 }) =>
            statusOf(world.clients.near, `http://${ipv4}:${port}/healthz`),
          ),
        );
        const healthy = codes.flatMap((code, index) => (code === 200 ? [index + 1] : []));
        assert.deepEqual(healthy, expected, codes.join());
        assert.ok(
          codes.every((code) => code === 200 || code === 503),
          codes.join(),
        );
      }, soon);
    await tells([2]);
    await moveTo([1, 3]);
    await tells([1, 3]);
    await isOn(1, 3);
    await setPolicy('Cluster');
    await eventually(async () => {
      const code = await statusOf(world.clients.near, `http://${world.lab.node(1).ipv4}:${port}/`);
      assert.equal(code, 'ECONNREFUSED');
    }, soon);
  });

  test('the policy goes from Local to Cluster and back, and the address does what it says', async () => {
    const { far } = world.clients;
    await serveOn([2]);
    await isOn(2);
    await isAnsweredBy(2);
    assert.equal(healthPortOf(await setPolicy('Cluster')), 0);
    await moveTo([3]);
    await eventually(async () => {
      const answers = await allAnswer(far, ips);
      for (const answer of answers) assert.match(answer, /^pod3 for /);
      for (const ip of [far.ipv4, far.ipv6]) assert.ok(!answers.join().includes(` ${ip}`));
    }, soon);
    await isOn(2);
    assert.ok(healthPortOf(await setPolicy('Local')) > 0);
    await isOn(3);
    await isAnsweredBy(3);
  });

  test('when the holder dies, another node with an endpoint answers, and no other', async () => {
    await serveOn([1, 3]);
    await isOn(1, 3);
    const [ip = ''] = ips;
    const held = Number(/^node(\d)/.exec(await world.agents.onePlace(ip))?.[1]);
    const fault = await powerOff(world.lab.node(held));
    try {
      const other = 4 - held;
      await isOn(other);
      await moveTo([other]);
      await isAnsweredBy(other);
    } finally {
      await fault.heal();
      await world.boot(held);
    }
  });

  test('without an endpoint in the subnet the address stays, and moves as soon as there is one', async () => {
    await serveOn([2]);
    await isOn(2);
    for (const pods of [[], [4]]) {
      await moveTo(pods);
      await nobodyAnswers(world.clients.near, ips);
      await isOn(2);
    }
    await moveTo([4, 1]);
    await isOn(1);
    await isAnsweredBy(1);
  });

  test('an endpoint that terminates serves to its end, and then the address is elsewhere within a second', async (t) => {
    const [v4 = ''] = ips;
    await serveOn([2]);
    await isOn(2);
    await isAnsweredBy(2);
    const client = await startUdpClient(world.clients.far, {
      to: ipOf(v4),
      port: 80,
      perSecond: 100,
    });
    const leaving = { pod: 2, conditions: { ready: false, serving: true, terminating: true } };
    const set = (endpoints: Parameters<typeof setEndpoints>[2]['endpoints']) =>
      setEndpoints(world, 'web', { family: 'ipv4', endpoints });
    await set([{ pod: 2 }, { pod: 3 }]);
    await set([leaving, { pod: 3 }]);
    await eventually(async () => assert.match(await world.agents.onePlace(v4), /^node2 /), soon);
    await set([{ pod: 3 }]);
    await eventually(async () => assert.match(await world.agents.onePlace(v4), /^node3 /), soon);
    await sleep(1500);
    const { lost, received, longestOutageMs } = await client.stop();
    t.diagnostic(`lost ${lost} of ${lost + received}, longest outage ${longestOutageMs} ms`);
    assert.ok(received > 100 && longestOutageMs < 1000, `${received}, ${longestOutageMs} ms`);
  });
});

function healthPortOf({ spec }: KubeObject): number {
  const { healthCheckNodePort = 0 } = spec as { healthCheckNodePort?: number };
  return healthCheckNodePort;
}

/** Of the answer, or why there is none. */
async function statusOf(host: Host, url: string): Promise<number | string> {
  const program = `
    const told = (text) => process.stdout.write(JSON.stringify(text));
    const answer = fetch(${JSON.stringify(url)}, { signal: AbortSignal.timeout(2000) });
    answer.then(({ status }) => told(status), ({ cause, name }) => told(cause?.code ?? name));`;
  const { stdout } = await host.run([process.execPath, '--eval', program]);
  return JSON.parse(stdout) as number | string;
}
