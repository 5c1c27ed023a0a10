/** PureLB on a real cluster: kubelets, containerd, kube-proxies and RBAC; installed by `kubectl apply -k deploy`. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { askEcho, askWeb, type WebAnswer } from '../../lab/cluster/ask.ts';
import { agentUser, allocatorUser, installNamespace } from '../../lab/cluster/installed-objects.ts';
import { addressesOf } from '../../lab/cluster/workload.ts';
import { ApiClient } from '../../lab/control-plane/api-client.ts';
import { eventually } from '../../lab/eventually.ts';
import type { Host } from '../../lab/network/host.ts';
import {
  applyObjects,
  installPureLB,
  kubectlOf,
  rolledOut,
} from '../../lab/real-cluster/install.ts';
import { missingRealCluster } from '../../lab/real-cluster/set-up.ts';
import { type RealCluster, startRealCluster } from '../../lab/real-cluster/start-real-cluster.ts';
import { startUdpClient } from '../../lab/traffic/udp-client.ts';
import { services } from '../../src/kube/resources.ts';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import { pools, serviceNames, webPods, webServices } from './real-cluster-objects.ts';

const skip = missingRealCluster();
const soon = { withinMs: 120_000, everyMs: 200 };
/** CAP_NET_ADMIN and CAP_NET_RAW are bits 12 and 13. */
const networkRights = '0000000000003000';

/** As the process finds it in its container. */
function tokenOf(pid: number): string {
  const path = `/proc/${pid}/root/var/run/secrets/kubernetes.io/serviceaccount/token`;
  return readFileSync(path, 'utf8');
}

/** What the audit log calls a token (RFC 7519, 4.1.7). */
function credentialOf(token: string): string {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
  const { jti } = JSON.parse(claims) as { readonly jti: string };
  return `JTI=${jti}`;
}

describe('a real cluster', () => {
  let real: RealCluster;
  const kubectl = (...args: readonly string[]) => kubectlOf(real.cluster.kubeconfig)(...args);
  /** One on the nodes' LAN, one beyond the router. */
  const clients = () => real.cluster.lab.clients;
  const agentPids = () =>
    real.cluster.lab.nodes.map(({ name }) => real.programs.agents.get(name)?.pid ?? 0);

  before(async () => {
    if (skip === false) real = await startRealCluster();
  });

  after(async () => {
    await real?.cluster.stop();
  });

  test('is served by what deploy says, as it is, with the rights that it names and no others', {
    skip,
  }, async () => {
    await installPureLB(real, pools);
    const pids = await eventually(() => {
      const found = agentPids();
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

  test('has a Service of each kind answered, on the LAN and beyond the router', {
    skip,
  }, async () => {
    await applyObjects(real.cluster.kubeconfig, [webPods, ...webServices]);
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=120s');
    for (const name of serviceNames) await isAnswered(name);
    const everywhere = await addressesIn('remote');
    await eventually(() => {
      for (const ip of everywhere) assert.deepEqual(holders(ip), ['node1', 'node2', 'node3']);
    }, soon);
    const local = await Promise.all(['single4', 'single6', 'dual'].map(addressesIn));
    for (const ip of local.flat()) assert.equal(holders(ip).length, 1, ip);
  });

  test('keeps answering, each address where it is, while the DaemonSet is rolled', {
    skip,
  }, async () => {
    const ips = [...(await addressesIn('dual')), ...(await addressesIn('remote'))];
    const places = () => ips.map((ip) => `${ip} on ${holders(ip).join()}`);
    const seen = new Set(places());
    const stopLooking = real.cluster.subscribe(() => {
      for (const place of places()) seen.add(place);
    });
    const pidsBefore = agentPids();
    await using stack = new AsyncDisposableStack();
    const measured = await Promise.all(
      ips.map(async (ip, index) => {
        const client = clients()[index % 2] ?? real.cluster.client;
        return stack.use(await startUdpClient(client, { to: ip, perSecond: 50 }));
      }),
    );
    await eventually(() => {
      for (const each of measured) assert.ok(each.progress.received > 20);
    }, soon);
    await kubectl('-n', installNamespace, 'rollout', 'restart', 'daemonset/lbnodeagent');
    await rolledOut(kubectl);
    await eventually(() => {
      const now = agentPids();
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

  test('lives on when its tokens die and the kubelets bring new ones', { skip }, async () => {
    const [ip] = await addressesIn('dual');
    assert.ok(ip !== undefined);
    const pids = agentPids();
    const tokens = pids.map(tokenOf);
    // Tokens are for one account, of which this is not the same any more.
    await kubectl('-n', installNamespace, 'delete', 'serviceaccount', 'lbnodeagent');
    await kubectl('apply', '-k', 'deploy');
    for (const token of tokens)
      await eventually(async () => assert.equal(await statusFor(token), 401), soon);
    // It gets tokens as it starts, and otherwise when most of their time is over.
    for (const host of real.cluster.lab.nodes) await real.programs.restartKubelet(host);
    await eventually(() => {
      const fresh = agentPids().map(tokenOf);
      assert.ok(fresh.every((token) => !tokens.includes(token)));
      const used = credentials();
      assert.deepEqual(
        fresh.map(credentialOf).filter((each) => !used.has(each)),
        [],
      );
    }, soon);
    assert.deepEqual(agentPids(), pids);
    for (const client of clients()) await answersOf(client, ip);
  });

  test('has another node answer when the one with the address loses its power', {
    skip,
  }, async () => {
    const [ip] = await addressesIn('single4');
    assert.ok(ip !== undefined);
    const [holder = ''] = await eventually(() => {
      const found = holders(ip);
      assert.equal(found.length, 1);
      return found;
    }, soon);
    await real.cluster.machines.powerOff(holder);
    await eventually(() => {
      assert.equal(holders(ip).length, 1);
      assert.notEqual(holders(ip)[0], holder);
    }, soon);
    for (const client of clients()) await answersOf(client, ip);
    await real.cluster.machines.powerOn(holder);
    const ready = ['--for=condition=Ready', `node/${holder}`, '--timeout=120s'];
    await kubectl('wait', ...ready);
    await eventually(() => assert.ok((real.programs.agents.get(holder)?.pid ?? 0) > 0), soon);
    for (const remote of await addressesIn('remote'))
      await eventually(() => assert.equal(holders(remote).length, 3), soon);
  });

  test('is left without addresses when PureLB is taken away, and nothing was ever forbidden', {
    skip,
  }, async () => {
    await kubectl('delete', 'service', ...serviceNames, '--timeout=120s');
    await eventually(() => assert.deepEqual(real.cluster.addresses, []), soon);
    await kubectl('-n', installNamespace, 'delete', 'daemonset', 'lbnodeagent', '--timeout=120s');
    await eventually(async () => {
      for (const host of real.cluster.lab.nodes)
        assert.ok((await host.links()).every(({ name }) => name !== 'kube-lb0'));
    }, soon);
    assert.deepEqual(refusals(), []);
    await kubectl('delete', '-k', 'deploy', '--ignore-not-found', '--timeout=120s');
  });

  async function addressesIn(name: string): Promise<readonly Ip[]> {
    const { cluster } = real.cluster;
    const found = addressesOf(await cluster.get(services, { namespace: 'default', name }));
    assert.ok(found.length > 0, `${name} has no address`);
    return found.map(ipOf);
  }

  function holders(ip: Ip): readonly string[] {
    const placed = real.cluster.addresses.filter((each) => each.ip === ip);
    return placed.map(({ node }) => node).sort();
  }

  /** All its addresses, by all clients. */
  async function isAnswered(name: string): Promise<void> {
    const ips = await eventually(() => addressesIn(name), soon);
    assert.equal(ips.length, name.startsWith('single') ? 1 : 2, name);
    for (const ip of ips) for (const client of clients()) await answersOf(client, ip);
  }

  /** Over TCP and UDP. */
  async function answersOf(client: Host, ip: Ip): Promise<void> {
    await eventually(async () => {
      const answer = await askWeb(client.entry, ip);
      assert.match(
        (answer as WebAnswer).node ?? String(answer),
        /^node\d$/,
        `${ip} for ${client.name}`,
      );
      assert.match(await askEcho(client.entry, ip), /^web-/);
    }, soon);
  }

  /** By which the agents renewed their leases so far. */
  function credentials(): ReadonlySet<string> {
    const entries = real.api.server.auditEntries();
    const own = entries.filter(({ user, resource, code }) => {
      return user === agentUser && resource === 'leases' && code === 200;
    });
    return new Set(own.flatMap(({ credential }) => credential ?? []));
  }

  /** What the API server says to somebody with this token. */
  async function statusFor(token: string): Promise<number> {
    const client = new ApiClient(real.api.server.url, real.api.ca, { token });
    const { status } = await client.send({ method: 'GET', path: '/api/v1/services' });
    client.close();
    return status;
  }

  /** What PureLB's programs were forbidden to do. */
  function refusals(): readonly string[] {
    const ours = [agentUser, allocatorUser];
    const entries = real.api.server.auditEntries();
    return entries
      .filter(({ code, user }) => code === 403 && ours.includes(user))
      .map(({ user, verb, resource }) => `${user} ${verb} ${resource}`);
  }
});
