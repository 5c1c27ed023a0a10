/** What is in `deploy`, applied by kubectl to a real API server; and the programs, started as it says. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { binaryPath, missingBinaries } from '../lab/control-plane/binaries.ts';
import { eventually } from '../lab/eventually.ts';
import { missing } from '../lab/missing.ts';
import { attempt } from '../lab/process/run.ts';
import { startResponder } from '../lab/traffic/responder.ts';
import { startUdpClient } from '../lab/traffic/udp-client.ts';
import { bundle, bundleFolder } from '../scripts/bundle.ts';
import { services } from '../src/kube/resources.ts';
import { ipOf } from '../src/model/ip.ts';
import { DeployedCluster, userOf, workNamespace } from './deployed-cluster.ts';
import type { ProgramName } from './deployed-program.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver', 'kubectl');
const root = new URL('..', import.meta.url).pathname;

/** Who may do what, as `kubectl auth can-i` is asked: the first list is allowed, the second is not. */
const permissions: Record<ProgramName, readonly [may: readonly string[], not: readonly string[]]> =
  {
    agent: [
      [
        'list services',
        'watch nodes',
        'get nodes',
        'patch services --subresource=status',
        'watch endpointslices.discovery.k8s.io',
        'list lbnodeagents.purelb.io',
        'create events.events.k8s.io',
        'patch lbnodeagents.purelb.io --subresource=status',
        'update leases.coordination.k8s.io -n purelb-system',
        'delete leases.coordination.k8s.io -n purelb-system',
        'get daemonsets.apps/lbnodeagent -n purelb-system',
      ],
      [
        'get services',
        'patch services',
        'update services --subresource=status',
        'delete services',
        'get secrets',
        'list pods',
        'patch nodes',
        'get lbnodeagents.purelb.io',
        'update lbnodeagents.purelb.io',
        'patch servicegroups.purelb.io --subresource=status',
        'list leases.coordination.k8s.io -n kube-system',
        'delete leases.coordination.k8s.io -n kube-system',
        'get daemonsets.apps/another -n purelb-system',
        'list daemonsets.apps -n purelb-system',
      ],
    ],
    allocator: [
      [
        'list services',
        'patch services',
        'patch services --subresource=status',
        'list namespaces',
        'patch servicegroups.purelb.io --subresource=status',
        'create events.events.k8s.io',
        'update leases.coordination.k8s.io/purelb-allocator -n purelb-system',
        'get secrets/netbox-client -n purelb-system',
        'create secrets -n purelb-system',
        'update secrets/purelb-peer-key -n purelb-system',
      ],
      [
        'update services',
        'delete services',
        'get secrets',
        'get secrets/netbox-client',
        'get secrets -n purelb-system',
        'list secrets -n purelb-system',
        'create secrets',
        'update secrets/netbox-client -n purelb-system',
        'get servicegroups.purelb.io',
        'list nodes',
        'list pods',
        'update servicegroups.purelb.io',
        'list lbnodeagents.purelb.io',
        'update leases.coordination.k8s.io/purelb-node-node1 -n purelb-system',
        'list leases.coordination.k8s.io -n kube-system',
      ],
    ],
  };

describe('what is deployed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'purelb-deploy-'));
  const kubeconfig = join(folder, 'kubeconfig');
  let deployed: DeployedCluster;

  before(async () => {
    if (skip !== false) return;
    await bundle();
    deployed = await DeployedCluster.open(2);
    deployed.api.kubeconfig(kubeconfig);
  });

  after(async () => {
    await deployed?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const kubectl = (...args: readonly string[]) =>
    execFileSync(binaryPath('kubectl'), ['--kubeconfig', kubeconfig, ...args], {
      encoding: 'utf8',
      cwd: root,
      // Discovery is remembered there, also between runs with other servers.
      env: { ...process.env, HOME: folder },
    });
  const budget = 'poddisruptionbudget.policy/allocator';
  const policies = 'validatingadmissionpolicies,validatingadmissionpolicybindings';
  const kinds = `${policies},crd,clusterroles,clusterrolebindings,ns,sa,roles,deploy,ds,pdb,sg,lbna`;
  const versions = () => {
    const columns = 'custom-columns=:.kind,:.metadata.name,:.metadata.resourceVersion';
    return kubectl('get', kinds, '-A', '-l', 'app.kubernetes.io/name=purelb', '-o', columns);
  };
  const verdicts = (...args: readonly string[]) => {
    const lines = kubectl(...args)
      .trim()
      .split('\n');
    return [...new Set(lines.map((line) => line.replace(/^\S+ /, '')))].sort();
  };

  test('everything is taken by a strict API server, and a second time changes nothing', {
    skip,
  }, () => {
    assert.deepEqual(verdicts('apply', '-k', 'deploy', '--validate=strict'), ['created']);
    kubectl('wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all');
    assert.deepEqual(verdicts('apply', '-k', 'deploy/samples', '--validate=strict'), ['created']);
    for (const part of ['deploy', 'deploy/samples']) {
      const again = ['apply', '-k', part, '--validate=strict'];
      const before = versions();
      const changed = kubectl(...again)
        .match(/^.*(?<! unchanged)$/gm)
        ?.filter((line) => line !== '');
      // kubectl always replaces the selector of this kind as a whole, also by the same one.
      assert.deepEqual(changed, part === 'deploy' ? [`${budget} configured`] : []);
      assert.deepEqual(versions(), before);
      const dry = kubectl(...again, '--dry-run=server')
        .trim()
        .split('\n');
      assert.ok(dry.every((line) => line.endsWith(' (server dry run)')));
    }
  });

  test('one place says which image', { skip }, () => {
    const images = kubectl('get', 'deployments,daemonsets', '-n', 'purelb-system', '-o', 'json');
    const found = [...images.matchAll(/"image": "([^"]+)"/g)].map((match) => match[1]);
    const [first] = found;
    assert.deepEqual(found, [first, first]);
    const changed = kubectl('kustomize', 'deploy').match(/image: .+/g);
    assert.deepEqual(changed, [`image: ${first}`, `image: ${first}`]);
  });

  for (const name of ['agent', 'allocator'] as const) {
    test(`the ${name} may do what it must, and no more`, { skip }, async () => {
      const [may, not] = permissions[name];
      const ask = async (question: string) => {
        const told = [...question.split(' '), '--as', userOf(name)];
        const argv = [binaryPath('kubectl'), '--kubeconfig', kubeconfig, 'auth', 'can-i', ...told];
        const { stdout } = await attempt(argv, { env: { HOME: folder } });
        return `${question}: ${stdout.trim()}`;
      };
      assert.deepEqual(
        await Promise.all(may.map(ask)),
        may.map((each) => `${each}: yes`),
      );
      assert.deepEqual(
        await Promise.all(not.map(ask)),
        not.map((each) => `${each}: no`),
      );
    });
  }

  test('a call beyond its permissions is refused to an agent', { skip }, async () => {
    const argv = [binaryPath('kubectl'), '--kubeconfig', kubeconfig, '--as', userOf('agent')];
    const { status, stderr } = await attempt([...argv, 'delete', 'service', 'kubernetes'], {
      env: { HOME: folder },
    });
    assert.notEqual(status, 0);
    assert.match(stderr, /Forbidden.*cannot (get|delete) resource "services"/s);
  });

  test('the commands of the containers make a Service answer, within their permissions', {
    skip,
  }, async () => {
    const allocator = await deployed.startAllocator();
    const agents = await Promise.all([1, 2].map((number) => deployed.startAgent(number)));
    await Promise.all(deployed.lab.nodes.map((host) => startResponder(host)));
    const ip = ipOf('192.0.2.142');
    await deployed.cluster.create(services, {
      metadata: {
        name: 'web',
        namespace: workNamespace,
        annotations: { 'purelb.io/addresses': ip },
      },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    });
    await using client = await startUdpClient(deployed.client, { to: ip, perSecond: 100 });
    await eventually(() => assert.match(client.progress.responder ?? '', /^node[12]$/), {
      withinMs: 30_000,
    });
    const events = kubectl('get', 'events.events.k8s.io', '-n', workNamespace);
    assert.match(events, /AnnouncingLocal/);
    for (const { name, ipv4 } of deployed.lab.nodes) {
      for (const path of ['/healthz', '/readyz']) {
        const withinMs = 20_000;
        await eventually(
          async () => {
            const answer = await fetch(`http://${ipv4}:7472${path}`);
            assert.equal(answer.status, 200, `${name}${path}: ${await answer.text()}`);
          },
          { withinMs },
        );
      }
    }
    for (const host of deployed.lab.nodes) {
      const { status } = await fetch(`http://${host.ipv4}:7472/state`);
      assert.equal(status, 404, 'state is not for everyone who reaches the port');
      const state = await printState('agent', deployed.stateSocket('agent', host));
      assert.ok(state.includes(`"${workNamespace}/web"`), state);
    }
    const state = await printState(
      'allocator',
      deployed.stateSocket('allocator', deployed.control),
    );
    assert.ok(state.includes(`"${workNamespace}/web"`), state);
    const exits = await Promise.all([allocator, ...agents].map((program) => program.stop()));
    assert.equal(exits.length, 3);
    const own = deployed.api.refusals().filter((what) => /lbnodeagent|allocator/.test(what));
    const asked = [`${userOf('agent')} get services`, `${userOf('agent')} delete services`];
    assert.deepEqual(
      own.filter((what) => !asked.includes(what)),
      [],
    );
  });
});

/** As `kubectl exec POD -- node /purelb/agent.cjs state` would. */
async function printState(program: ProgramName, socket: string): Promise<string> {
  const file = join(bundleFolder, `${program}.cjs`);
  const { status, stdout, stderr } = await attempt([process.execPath, file, 'state'], {
    env: { PURELB_STATE_SOCKET: socket },
  });
  assert.equal(status, 0, stderr);
  return JSON.stringify(JSON.parse(stdout));
}
