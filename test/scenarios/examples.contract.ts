/** The examples of the original documentation, as people try them out: the same on every API server. */

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { endpointSlice } from '../../lab/control-plane/objects.ts';
import { eventually } from '../../lab/eventually.ts';
import { ping } from '../../lab/traffic/ping.ts';
import { ipOf } from '../../src/model/ip.ts';
import { exampleLink } from './example-network.ts';
import type { ExampleWorld } from './example-world.ts';

const soon = { withinMs: 15_000 } as const;
const nodeNames = ['node1', 'node2', 'node3'];

const group = (name: string, version = 'v1') => `
apiVersion: purelb.io/${version}
kind: ServiceGroup
metadata: { name: ${name}, namespace: purelb-system }
spec:`;

const service = (name: string, serviceGroup: string, more = '', namespace = 'default') => `
apiVersion: v1
kind: Service
metadata:
  name: ${name}
  namespace: ${namespace}
  labels: { app: echoserver1 }
  annotations: { purelb.io/service-group: ${serviceGroup} }
spec:
  type: LoadBalancer
  selector: { app: echoserver1 }
  ports: [{ port: 80, protocol: TCP, targetPort: 8080 }]
${more}`;

const remotedual = (pool: string) => `${group('remotedual')}
  local:
    v4pools: [{ aggregation: /32, pool: '${pool}', subnet: 172.32.100.0/24 }]
    v6pools: [{ aggregation: /128, pool: 'fc00:370:155:0:8000::/126', subnet: 'fc00:370:155::/64' }]`;

const dualStack = `
  ipFamilies: [IPv4, IPv6]
  ipFamilyPolicy: RequireDualStack`;

/** What `kubectl describe` says behind a word, line by line. */
function section(text: string, word: string): readonly string[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`${word}:`));
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const length = rest.findIndex((line) => !line.startsWith(' '));
  const own = [(lines[start] ?? '').slice(word.length + 1), ...rest.slice(0, length)];
  return own.map((line) => line.trim()).filter((line) => line !== '');
}

/** Newer versions of kubectl say of an address how it is reached. */
const ingressOf = (text: string) =>
  section(text, 'LoadBalancer Ingress').join().replaceAll(' (VIP)', '');

export function examples(open: () => Promise<ExampleWorld>): void {
  let world: ExampleWorld;
  before(async () => {
    world = await open();
  });
  afterEach(() => world?.clear());
  after(() => world?.[Symbol.asyncDispose]());

  const describeService = (name: string, namespace = 'default') =>
    world.kubectl('describe', 'service', name, '--namespace', namespace);

  test('000: a flat group of local addresses', async () => {
    const flat = `
  name: 'localaddrange'
  subnet: '192.168.151.0/24'
  pool: '192.168.151.240-192.168.151.250'
  aggregation: 'default'`;
    await assert.rejects(world.apply(`${group('LocalAddressRange')}${flat}`), /Invalid value/);
    await world.apply(`${group('localaddressrange')}${flat}`);
    await world.apply(service('echoserver-service1', 'localaddrange'));
    const place = await world.agents.onePlace('192.168.151.240', 15_000);
    const [node = ''] = place.split(' ');
    const [address = '', lifetime = ''] = await world.addressLines(
      node,
      exampleLink,
      '192.168.151.240',
    );
    assert.match(
      address,
      /^inet 192\.168\.151\.240\/24 brd 192\.168\.151\.255 scope global secondary dynamic noprefixroute enp1s0$/,
    );
    assert.match(lifetime, /^valid_lft (2\d\d|300)sec preferred_lft \d+sec$/);
    await eventually(async () => {
      const text = await describeService('echoserver-service1');
      const notes = section(text, 'Annotations');
      for (const note of [
        'purelb.io/allocated-by: PureLB',
        'purelb.io/allocated-from: localaddrange',
        `purelb.io/added-to: ${node}/${exampleLink}`,
      ]) {
        assert.ok(notes.includes(note), `${note} is not among\n${notes.join('\n')}`);
      }
      assert.equal(ingressOf(text), '192.168.151.240');
      assert.deepEqual(section(text, 'External Traffic Policy'), ['Cluster']);
    }, soon);
  });

  test('001: a flat group of virtual addresses', async () => {
    await world.apply(`${group('virtualaddressrange')}
  name: 'virtaddrange'
  subnet: '172.22.0.0/24'
  pool: '172.22.0.10-172.22.0.25'
  aggregation: 'default'`);
    await world.apply(service('echoserver-service21', 'virtaddrange'));
    await eventually(
      async () =>
        assert.equal(ingressOf(await describeService('echoserver-service21')), '172.22.0.10'),
      soon,
    );
    await world.apply(service('echoserver-service22', 'virtaddrange'));
    await eventually(
      async () =>
        assert.equal(ingressOf(await describeService('echoserver-service22')), '172.22.0.11'),
      soon,
    );
    // Beside another one of its prefix it would be a secondary.
    await world.kubectl('delete', 'service', 'echoserver-service21', '--namespace', 'default');
    for (const node of nodeNames) {
      await eventually(async () => {
        assert.deepEqual(await world.addressLines(node, 'kube-lb0', '172.22.0.11'), [
          'inet 172.22.0.11/24 brd 172.22.0.255 scope global kube-lb0',
          'valid_lft forever preferred_lft forever',
        ]);
      }, soon);
    }
    assert.doesNotMatch(await describeService('echoserver-service22'), /added-to/);
  });

  test('002: a dual-stack group of virtual addresses, first with its mistake', async () => {
    await assert.rejects(
      world.apply(remotedual('172.32.100.225-172.30.100.229')),
      /did you mean 172\.32\.100\.225-172\.32\.100\.229\?/,
    );
    await world.apply(remotedual('172.32.100.225-172.32.100.229'));
    await world.apply(service('kuard-svc-dual-remote', 'remotedual', dualStack, 'test'));
    const addresses = ['172.32.100.225', 'fc00:370:155:0:8000::'];
    await eventually(async () => {
      const text = await describeService('kuard-svc-dual-remote', 'test');
      assert.equal(ingressOf(text), addresses.join(', '));
      const events = section(text, 'Events').map((line) => line.replace(/\s{2,}/g, '|'));
      const has = (pattern: RegExp) =>
        assert.ok(
          events.some((line) => pattern.test(line)),
          text,
        );
      has(
        /^Normal\|AddressAssigned\|.*\|purelb-allocator\|Assigned 172\.32\.100\.225, fc00:370:155:0:8000:: from pool remotedual$/,
      );
      for (const ip of addresses) {
        for (const node of nodeNames) {
          has(
            new RegExp(
              `^Normal\\|AnnouncingNonLocal\\|.*\\|purelb-lbnodeagent\\|Announcing ${ip} from node ${node} interface kube-lb0$`,
            ),
          );
        }
      }
      assert.equal(events.filter((line) => line.includes('AnnouncingNonLocal')).length, 6);
    }, soon);
    for (const node of nodeNames) {
      const forever = 'valid_lft forever preferred_lft forever';
      const lines = await world.addressLines(node, 'kube-lb0', '172.32.100.225');
      assert.deepEqual(lines, ['inet 172.32.100.225/32 scope global kube-lb0', forever]);
      const v6 = await world.addressLines(node, 'kube-lb0', 'fc00:370:155:0:8000::');
      assert.match(
        v6.join(' | '),
        /^inet6 fc00:370:155:0:8000::\/128 scope global.* \| valid_lft forever preferred_lft forever$/,
      );
    }
  });

  test('003: a dual-stack group of local addresses, a Service without node ports', async () => {
    await world.apply(`${group('localaddrange')}
  local:
    v4pools: [{ aggregation: default, pool: 192.168.10.240-192.168.10.243, subnet: 192.168.10.0/24 }]
    v6pools: [{ aggregation: default, pool: 'fc00:270:154:0:8100::4/64', subnet: 'fc00:270:154::/64' }]`);
    const more = `${dualStack}\n  allocateLoadBalancerNodePorts: false`;
    await world.apply(service('kuard-svc-dual-remote', 'localaddrange', more));
    const ips = ['192.168.10.240', 'fc00:270:154:0:8100::4'];
    for (const ip of ips)
      assert.match(await world.agents.onePlace(ip, 15_000), / enp1s0\/(24|64)$/);
    const text = await describeService('kuard-svc-dual-remote');
    assert.equal(ingressOf(text), ips.join(', '));
    assert.doesNotMatch(text, /NodePort:/);
  });

  test('004: one node has a local address and answers for it; its policy is Cluster', async () => {
    await world.apply(`${group('local', 'v2')}
  local: { v4pools: [{ subnet: 192.168.1.0/24, pool: 192.168.1.240-192.168.1.250 }] }`);
    await world.apply(service('web', 'local', '  externalTrafficPolicy: Local'));
    assert.match(await world.agents.onePlace('192.168.1.240', 15_000), /^node[123] enp1s0\/24$/);
    assert.notEqual(await ping(world.agents.client, ipOf('192.168.1.240')), undefined);
    await eventually(async () => {
      const text = await describeService('web');
      assert.deepEqual(section(text, 'External Traffic Policy'), ['Cluster']);
    }, soon);
  });

  test('004: every node has a remote address; with Local those that have pods', async () => {
    await world.apply(`${group('remote', 'v2')}
  remote: { v4pools: [{ subnet: 172.31.0.0/24, pool: 172.31.0.1/32, aggregation: /32 }] }`);
    await world.apply(service('web', 'remote', '', 'shop'));
    const isOn = (...names: readonly string[]) =>
      eventually(
        async () =>
          assert.deepEqual(
            await world.agents.places('172.31.0.1'),
            names.map((name) => `${name} kube-lb0/32`),
          ),
        soon,
      );
    await isOn(...nodeNames);
    const endpoints = [{ ip: '192.168.1.141', node: 'node2' }];
    await world.agents.endpoints(
      endpointSlice({ service: 'web', namespace: 'shop', ports: [{ port: 80 }], endpoints }),
    );
    const patch = JSON.stringify({ spec: { externalTrafficPolicy: 'Local' } });
    await world.kubectl('patch', 'service', 'web', '-n', 'shop', '-p', patch);
    await isOn('node2');
  });

  test('004: multiPool gives an address of each subnet, balancePools spreads', async () => {
    await world.apply(`${group('many', 'v2')}
  local:
    multiPool: true
    v4pools: [{ subnet: 192.168.1.0/24, pool: 192.168.1.240/29 }, { subnet: 192.168.10.0/24, pool: 192.168.10.240/29 }]`);
    await world.apply(service('everywhere', 'many'));
    await world.apply(`${group('spread', 'v2')}
  local:
    balancePools: true
    v4pools: [{ subnet: 192.168.1.0/24, pool: 192.168.1.224/29 }, { subnet: 192.168.10.0/24, pool: 192.168.10.224/29 }]`);
    const ingress = (name: string) =>
      eventually(async () => {
        const text = ingressOf(await describeService(name));
        assert.notEqual(text, '');
        return text;
      }, soon);
    assert.equal(await ingress('everywhere'), '192.168.1.240, 192.168.10.240');
    await world.apply(service('one', 'spread'));
    const one = await ingress('one');
    await world.apply(service('two', 'spread'));
    assert.deepEqual([one, await ingress('two')].sort(), ['192.168.1.224', '192.168.10.224']);
    for (const ip of ['192.168.1.240', '192.168.10.240', '192.168.1.224', '192.168.10.224'])
      await world.agents.onePlace(ip, 15_000);
  });

  test('004: Services with the same key share an address, which lives for 300 seconds', async () => {
    await world.apply(`${group('local', 'v2')}
  local: { v4pools: [{ subnet: 192.168.1.0/24, pool: 192.168.1.240-192.168.1.250 }] }`);
    for (const [name, port] of [
      ['web', 80],
      ['mail', 25],
    ] as const) {
      await world.apply(`
apiVersion: v1
kind: Service
metadata:
  name: ${name}
  namespace: default
  annotations: { purelb.io/service-group: local, purelb.io/allow-shared-ip: front }
spec: { type: LoadBalancer, ports: [{ port: ${port}, protocol: TCP }] }`);
    }
    const ip = '192.168.1.240';
    for (const name of ['web', 'mail']) {
      await eventually(async () => assert.equal(ingressOf(await describeService(name)), ip), soon);
    }
    const [node = ''] = (await world.agents.onePlace(ip, 15_000)).split(' ');
    const lines = await world.addressLines(node, exampleLink, ip);
    assert.match(lines[1] ?? '', /^valid_lft (2\d\d|300)sec /);
    await world.kubectl('delete', 'service', 'web', '--namespace', 'default');
    assert.equal(ingressOf(await describeService('mail')), ip);
    assert.match(await world.agents.onePlace(ip), new RegExp(`^${node} `));
  });
}
