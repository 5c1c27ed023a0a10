import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import type { Host } from '../../lab/network/host.ts';
import { ask } from '../../lab/traffic/ask.ts';
import { defaultPort, startResponder } from '../../lab/traffic/responder.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { lbNodeAgents, services } from '../../src/kube/resources.ts';
import { installNamespace } from './agent-world.ts';
import { RealWorld } from './real-world.ts';
import { advertise, allAnswer, isOnVirtualLinks, questionsTo, serve } from './served.ts';

const local = ['192.0.2.100', '2001:db8:1::100'];
const remote = ['203.0.113.200', '2001:db8:aa::200'];
const ips = [...local, ...remote];

async function guardAddresses(world: RealWorld, isOn: boolean): Promise<void> {
  const patch = mergePatch({ spec: { local: { guard: isOn } } });
  await world.cluster.patch(lbNodeAgents, { namespace: installNamespace, name: 'default' }, patch);
}

/** The different answers over TCP. */
async function answersTo(
  host: Host,
  ips: readonly string[],
  port: number,
): Promise<readonly string[]> {
  const questions = questionsTo(ips, port).filter(({ protocol }) => protocol === 'TCP');
  return [...new Set(await ask(host, questions))];
}

async function findNodePort(world: RealWorld): Promise<number> {
  const { spec } = await world.cluster.get(services, { namespace: 'shop', name: 'web' });
  const { ports } = spec as { readonly ports: readonly { readonly nodePort: number }[] };
  return ports[0]?.nodePort ?? assert.fail('no NodePort');
}

/** NodePorts are kube-proxy's, before any guard: on all addresses with iptables, on the first with nftables. */
const proxies = [
  { mode: 'nftables', command: 'nft', nodePortAnswer: /^silence$/ },
  { mode: 'iptables', command: 'iptables', nodePortAnswer: /^pod/ },
] as const;

for (const { mode, command, nodePortAnswer } of proxies) {
  const skip =
    missing('ip', 'ping', 'setpriv', command) ||
    missingBinaries('etcd', 'kube-apiserver', 'kube-proxy');

  test(`kube-proxy with ${mode}: guarded Services answer as before, and their node does not`, {
    skip,
  }, async () => {
    await using world = await RealWorld.open({ mode, nodes: [1] });
    const { near, far } = world.clients;
    const host = world.lab.node(1);
    // On all addresses of the node, as an SSH server does.
    await startResponder(host);
    await serve(world, 'web', { ips: local, pods: [1] });
    await serve(world, 'far', { ips: remote, group: 'public', type: 'remote', pods: [1] });
    await isOnVirtualLinks(world, remote, [1]);
    await advertise(world, remote);
    for (const client of [near, far]) await allAnswer(client, ips);
    assert.deepEqual(await answersTo(far, ips, defaultPort), ['node1']);

    await guardAddresses(world, true);
    await eventually(
      async () => assert.deepEqual(await answersTo(far, ips, defaultPort), ['silence']),
      { withinMs: 20_000 },
    );
    for (const client of [near, far]) await allAnswer(client, ips);
    assert.deepEqual(await answersTo(far, [host.ipv4, host.ipv6], defaultPort), ['node1']);
    const nodePort = await findNodePort(world);
    const [atNode = ''] = await answersTo(far, [host.ipv4], nodePort);
    assert.match(atNode, /^pod/);
    for (const answer of await answersTo(far, ips, nodePort)) assert.match(answer, nodePortAnswer);

    await guardAddresses(world, false);
    await eventually(
      async () => assert.deepEqual(await answersTo(far, ips, defaultPort), ['node1']),
      { withinMs: 20_000 },
    );
  });
}
