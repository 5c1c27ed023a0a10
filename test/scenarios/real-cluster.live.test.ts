/** PureLB on a real cluster: kubelets, containerd, kube-proxies and RBAC; installed by `kubectl apply -k deploy`. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { installNamespace } from '../../lab/cluster/installed-objects.ts';
import { eventually } from '../../lab/eventually.ts';
import { addGobgpd, gobgpdImage } from '../../lab/real-cluster/gobgpd.ts';
import { applyObjects, installPureLB, rolledOut } from '../../lab/real-cluster/install.ts';
import { missingRealCluster } from '../../lab/real-cluster/set-up.ts';
import { type RealCluster, startRealCluster } from '../../lab/real-cluster/start-real-cluster.ts';
import { startUdpClient } from '../../lab/traffic/udp-client.ts';
import { lonely, pools, serviceNames, webPods, webServices } from './real-cluster-objects.ts';
import { credentialOf, RealView, soon, tokenOf } from './real-view.ts';

const skip = missingRealCluster();
/** CAP_NET_ADMIN and CAP_NET_RAW are bits 12 and 13. */
const networkRights = '0000000000003000';
const authentication = 'purelb_lbnodeagent_peer_authentication';
const refusedHints = (outcome: string) => `purelb_lbnodeagent_hints_total{outcome="${outcome}"}`;

describe('a real cluster', () => {
  let real: RealCluster;
  let view: RealView;
  /** Tokens that a test used to do what is forbidden. */
  const stolen = new Set<string>();
  const kubectl = (...args: readonly string[]) => view.kubectl(...args);

  /** Before this test began to load it itself. */
  const isBusy = (loadavg()[0] ?? 0) > availableParallelism();

  before(async () => {
    if (skip !== false) return;
    real = await startRealCluster({ images: [gobgpdImage()] });
    view = new RealView(real);
  });

  after(async () => {
    await real?.cluster.stop();
  });

  test('is served by what deploy says, as it is, with the rights that it names and no others', {
    skip,
  }, async () => {
    await installPureLB(real, pools);
    const pids = await eventually(() => {
      const found = view.agentPids;
      assert.ok(found.every((pid) => pid > 0));
      return found;
    }, soon);
    for (const pid of pids) {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const field = (name: string) => new RegExp(`^${name}:\\t(.*)$`, 'm').exec(status)?.[1];
      assert.deepEqual(
        ['CapEff', 'CapPrm', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp'].map(field),
        [networkRights, networkRights, networkRights, '0000000000000000', '1', '2'],
      );
      assert.match(readFileSync(`/proc/${pid}/mounts`, 'utf8'), /^\S+ \/ overlay ro,/m);
    }
    const pods = JSON.parse(await kubectl('get', 'pods', '-n', installNamespace, '-o', 'json'));
    assert.equal(pods.items.length, 5);
  });

  test('has agents that sign with the key that the allocator made and the kubelets mount', {
    skip,
  }, async () => {
    await eventually(async () => {
      const keys = await view.peerKeys();
      assert.match(keys[0] ?? '', /^[0-9a-f]{8}$/);
      assert.deepEqual(keys, Array(3).fill(keys[0]));
      assert.deepEqual(await view.metric(authentication), [1, 1, 1]);
    }, soon);
  });

  test('refuses what the token of one node’s agent does to others', { skip }, async () => {
    const token = await view.stolenToken('node1');
    stolen.add(credentialOf(token));
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${installNamespace}/leases`;
    const renew = (node: string, holderIdentity: string) =>
      eventually(async () => {
        const path = `${leases}/purelb-node-${node}`;
        const { body } = await view.ask(token, { method: 'GET', path });
        const { spec, ...rest } = body as { readonly spec: object };
        const changed = { ...rest, spec: { ...spec, holderIdentity } };
        const answer = await view.ask(token, { method: 'PUT', path, body: changed });
        // Its own agent renews it every few seconds.
        assert.notEqual(answer.status, 409);
        return answer;
      }, soon);
    assert.equal((await renew('node1', 'node1')).status, 200);
    for (const [node, holder] of [
      ['node2', 'node2'],
      ['node1', 'node2'],
    ] as const) {
      const { status, body } = await renew(node, holder);
      assert.equal(status, 403);
      assert.match(JSON.stringify(body), /ValidatingAdmissionPolicy 'purelb-agent-objects'/);
    }
    const path = `/api/v1/namespaces/${installNamespace}/secrets/purelb-peer-key`;
    assert.equal((await view.ask(token, { method: 'GET', path })).status, 403);
  });

  test('has a Service of each kind answered, on the LAN and beyond the router', {
    skip,
  }, async () => {
    await applyObjects(real.cluster.kubeconfig, [webPods, ...webServices]);
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=120s');
    for (const name of serviceNames) await view.isAnswered(name);
    const everywhere = await view.addressesIn('remote');
    await eventually(() => {
      for (const ip of everywhere) assert.deepEqual(view.holders(ip), ['node1', 'node2', 'node3']);
    }, soon);
    const local = await Promise.all(
      ['single4', 'single6', 'dual'].map((name) => view.addressesIn(name)),
    );
    for (const ip of local.flat()) assert.equal(view.holders(ip).length, 1, ip);
  });

  test('has pods of nodes without an endpoint answered where externalTrafficPolicy Local is kept', {
    skip,
  }, async () => {
    await applyObjects(real.cluster.kubeconfig, lonely);
    await kubectl('rollout', 'status', 'deployment/lonely', '--timeout=120s');
    await view.isAnswered('lonely', /^lonely-/);
    const ips = await view.addressesIn('lonely');
    const pods = (await kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')).trim().split('\n');
    assert.equal(pods.length, 3);
    for (const pod of pods)
      for (const ip of ips)
        await eventually(async () => {
          assert.match(await view.askFromPod(pod, ip), /"pod":"lonely-/, `${ip} from ${pod}`);
        }, soon);
    await kubectl('delete', 'service/lonely', 'deployment/lonely', '--timeout=120s');
  });

  test('keeps answering, each address where it is, while the DaemonSet is rolled', {
    skip,
  }, async () => {
    const ips = [...(await view.addressesIn('dual')), ...(await view.addressesIn('remote'))];
    const places = () => ips.map((ip) => `${ip} on ${view.holders(ip).join()}`);
    const seen = new Set(places());
    const stopLooking = real.cluster.subscribe(() => {
      for (const place of places()) seen.add(place);
    });
    const pidsBefore = view.agentPids;
    await using stack = new AsyncDisposableStack();
    const measured = await Promise.all(
      ips.map(async (ip, index) => {
        const client = view.clients[index % 2] ?? real.cluster.client;
        return stack.use(await startUdpClient(client, { to: ip, perSecond: 50 }));
      }),
    );
    await eventually(() => {
      for (const each of measured) assert.ok(each.progress.received > 20);
    }, soon);
    await kubectl('-n', installNamespace, 'rollout', 'restart', 'daemonset/lbnodeagent');
    await rolledOut(kubectl);
    await eventually(() => {
      const now = view.agentPids;
      assert.ok(now.every((pid, index) => pid > 0 && pid !== pidsBefore[index]));
    }, soon);
    stopLooking();
    assert.deepEqual([...seen], places());
    const reports = await Promise.all(measured.map((each) => each.stop()));
    assert.deepEqual(
      reports.map(({ lost, outages }) => ({ lost, outages })),
      reports.map(() => ({ lost: 0, outages: [] })),
    );
  });

  test('was never called unhealthy by a kubelet while its programs started', {
    skip,
  }, async (t) => {
    if (isBusy) return t.skip('others kept this machine busy: programs started late');
    assert.deepEqual(await view.eventsOf('Unhealthy'), []);
  });

  test('has its peer key replaced while no agent is without one or refuses another', {
    skip,
  }, async () => {
    const [old = ''] = await view.peerKeys();
    const patch = (type: string, change: unknown) => {
      const options = [`--type=${type}`, '-p', JSON.stringify(change)];
      return kubectl('-n', installNamespace, 'patch', 'secret', 'purelb-peer-key', ...options);
    };
    const path = 'jsonpath={.data.key}';
    const secret = ['get', 'secret', 'purelb-peer-key', '-o', path];
    const previous = await kubectl('-n', installNamespace, ...secret);
    await patch('merge', { data: { key: randomBytes(32).toString('base64'), previous } });
    // As it starts it asks all others, whose kubelets have not all brought the new key yet.
    await real.programs.agents.get('node1')?.kill();
    await eventually(async () => {
      const keys = await view.peerKeys();
      assert.match(keys[0] ?? '', new RegExp(`^[0-9a-f]{8},${old}$`));
      assert.deepEqual(keys, Array(3).fill(keys[0]));
    }, soon);
    await patch('json', [{ op: 'remove', path: '/data/previous' }]);
    const [ip] = await view.addressesIn('dual');
    assert.ok(ip !== undefined);
    await real.programs.agents.get(view.holders(ip)[0] ?? '')?.kill();
    for (const client of view.clients) await view.answersOf(client, ip);
    await eventually(async () => {
      assert.deepEqual(await view.metric(authentication), [1, 1, 1]);
    }, soon);
    for (const outcome of ['unauthenticated', 'replayed', 'strangers'])
      assert.deepEqual(await view.metric(refusedHints(outcome)), [0, 0, 0], outcome);
  });

  test('lives on when its tokens die and the kubelets bring new ones', { skip }, async () => {
    const [ip] = await view.addressesIn('dual');
    assert.ok(ip !== undefined);
    const pids = view.agentPids;
    const tokens = pids.map(tokenOf);
    // Tokens are for one account, of which this is not the same any more.
    await kubectl('-n', installNamespace, 'delete', 'serviceaccount', 'lbnodeagent');
    await kubectl('apply', '-k', 'deploy');
    for (const token of tokens)
      await eventually(async () => {
        const { status } = await view.ask(token, { method: 'GET', path: '/api/v1/services' });
        assert.equal(status, 401);
      }, soon);
    // It gets tokens as it starts, and otherwise when most of their time is over.
    for (const host of view.nodes) await real.programs.restartKubelet(host);
    await eventually(() => {
      const fresh = view.agentPids.map(tokenOf);
      assert.ok(fresh.every((token) => !tokens.includes(token)));
      const used = view.credentials();
      assert.deepEqual(
        fresh.map(credentialOf).filter((each) => !used.has(each)),
        [],
      );
    }, soon);
    assert.deepEqual(view.agentPids, pids);
    for (const client of view.clients) await view.answersOf(client, ip);
  });

  test('has another node answer when the one with the address loses its power', {
    skip,
  }, async () => {
    const [ip] = await view.addressesIn('single4');
    assert.ok(ip !== undefined);
    const [holder = ''] = await eventually(() => {
      const found = view.holders(ip);
      assert.equal(found.length, 1);
      return found;
    }, soon);
    await real.cluster.machines.powerOff(holder);
    await eventually(() => {
      assert.equal(view.holders(ip).length, 1);
      assert.notEqual(view.holders(ip)[0], holder);
    }, soon);
    for (const client of view.clients) await view.answersOf(client, ip);
    await real.cluster.machines.powerOn(holder);
    const ready = ['--for=condition=Ready', `node/${holder}`, '--timeout=120s'];
    await kubectl('wait', ...ready);
    await eventually(() => assert.ok((real.programs.agents.get(holder)?.pid ?? 0) > 0), soon);
    for (const remote of await view.addressesIn('remote'))
      await eventually(() => assert.equal(view.holders(remote).length, 3), soon);
  });

  test('gives no token to the gobgpd beside an agent', { skip }, async () => {
    await addGobgpd(kubectl);
    const pids = await eventually(() => {
      const found = view.pidsOf('gobgpd');
      assert.equal(found.length, 3);
      return found;
    }, soon);
    for (const pid of pids) {
      assert.equal(existsSync(`/proc/${pid}/root/var/run/secrets`), false);
      assert.doesNotMatch(readFileSync(`/proc/${pid}/mounts`, 'utf8'), /secret|peer-key/);
    }
    for (const pid of view.agentPids) assert.match(tokenOf(pid), /^ey/);
    for (const name of serviceNames) await view.isAnswered(name);
  });

  test('is left without addresses when PureLB is taken away, and nothing was ever forbidden', {
    skip,
  }, async () => {
    await kubectl('delete', 'service', ...serviceNames, '--timeout=120s');
    await eventually(() => assert.deepEqual(real.cluster.addresses, []), soon);
    await kubectl('-n', installNamespace, 'delete', 'daemonset', 'lbnodeagent', '--timeout=120s');
    await eventually(async () => {
      for (const host of view.nodes)
        assert.ok((await host.links()).every(({ name }) => name !== 'kube-lb0'));
    }, soon);
    assert.deepEqual(view.refusals(stolen), []);
    await kubectl('delete', '-k', 'deploy', '--ignore-not-found', '--timeout=120s');
  });
});
