import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Endpoint,
  endpointSlice,
  loadBalancerStatus,
  service,
} from '../control-plane/objects.ts';
import { type ForwardedPort, forwardedPorts } from './forwarded-port.ts';
import { renderRuleset } from './ruleset.ts';

const podCidrs = ['198.19.0.0/16', '2001:db8:f000::/36'];
const ports = [{ port: 80, targetPort: 8080 }];
const families = { ipFamilies: ['IPv4'], clusterIPs: ['10.96.0.10'] };

function web(spec: object = {}, ips: readonly string[] = ['192.0.2.100']) {
  const wish = service({ name: 'web', ports, spec: { ...families, ...spec } });
  return { ...wish, status: loadBalancerStatus(ips) };
}

const here = { ip: '198.19.1.2', node: 'node1' };
const there = { ip: '198.19.2.2', node: 'node2' };
const slice = (...endpoints: readonly Endpoint[]) =>
  endpointSlice({ service: 'web', ports, endpoints });

const read = (...parameters: Parameters<typeof forwardedPorts>) => forwardedPorts(...parameters);

/** What a chain, map or set of the ruleset holds. */
function bodyOf(what: string, forwarded: readonly ForwardedPort[]): readonly string[] {
  const text = renderRuleset(forwarded, { podCidrs, connectionMark: () => 7 });
  const [, body = ''] = text.split(`  ${what} {\n`);
  return (body.split('\n  }')[0] ?? '').split('\n').map((line) => line.trim());
}

test('a Service becomes its ports, in the families that it has an address of', () => {
  const dual = web({ clusterIPs: ['10.96.0.10', 'fd00:96::10'] }, [
    '192.0.2.100',
    '2001:db8:1::100',
  ]);
  const v6 = { ip: '2001:db8:f001::2', node: 'node1' };
  assert.deepEqual(read([dual], [slice(here, there), slice(v6)], 'node1'), [
    {
      name: 'default/web:tcp-80',
      family: 'ip',
      protocol: 'tcp',
      port: 80,
      clusterIps: ['10.96.0.10'],
      externalIps: ['192.0.2.100'],
      isLocal: false,
      endpoints: [
        { ip: '198.19.1.2', port: 8080, isHere: true },
        { ip: '198.19.2.2', port: 8080, isHere: false },
      ],
    },
    {
      name: 'default/web:tcp-80',
      family: 'ip6',
      protocol: 'tcp',
      port: 80,
      clusterIps: ['fd00:96::10'],
      externalIps: ['2001:db8:1::100'],
      isLocal: false,
      endpoints: [{ ip: '2001:db8:f001::2', port: 8080, isHere: true }],
    },
  ]);
});

test('unready endpoints get nothing; ending ones only where there are no others', () => {
  const ips = (...endpoints: readonly Endpoint[]) =>
    read([web()], [slice(...endpoints)], 'node1').flatMap((port) =>
      port.endpoints.map(({ ip }) => ip),
    );
  const ending = { ...there, state: 'terminating' } as const;
  assert.deepEqual(ips(here, ending), [here.ip]);
  assert.deepEqual(ips(ending), [there.ip]);
  assert.deepEqual(ips({ ...here, state: 'unready' }), []);
});

test('with policy Cluster the node stands in for the client', () => {
  const forwarded = read([web()], [slice(here, there)], 'node1');
  assert.deepEqual(bodyOf('chain external-0', forwarded), [
    'meta mark set meta mark or 0x4000',
    'goto service-0',
  ]);
  assert.deepEqual(bodyOf('map ip-services', forwarded), [
    'type inet_proto . ipv4_addr . inet_service : verdict',
    'elements = { tcp . 10.96.0.10 . 80 : goto service-0, tcp . 192.0.2.100 . 80 : goto external-0 }',
  ]);
});

test('with policy Local a client reaches endpoints of this node only, and nothing where there are none', () => {
  const local = web({ externalTrafficPolicy: 'Local' });
  const toAny = [
    'ip saddr 198.19.0.0/16 goto service-0',
    'fib saddr type local meta mark set meta mark or 0x4000 goto service-0',
  ];
  assert.deepEqual(bodyOf('chain external-0', read([local], [slice(here, there)], 'node1')), [
    ...toAny,
    'numgen random mod 1 vmap { 0 : goto endpoint-0-0 }',
  ]);
  assert.deepEqual(bodyOf('chain external-0', read([local], [slice(there)], 'node1')), [
    ...toAny,
    'drop',
  ]);
});

test('a Service without endpoints refuses', () => {
  const forwarded = read([web()], [], 'node1');
  assert.deepEqual(bodyOf('set ip-refused', forwarded), [
    'type inet_proto . ipv4_addr . inet_service',
    'elements = { tcp . 10.96.0.10 . 80, tcp . 192.0.2.100 . 80 }',
  ]);
  assert.deepEqual(bodyOf('map ip-services', forwarded), [
    'type inet_proto . ipv4_addr . inet_service : verdict',
  ]);
});

test('headless Services, ports of other protocols and foreign load balancers are left alone', () => {
  const sctp = service({ name: 'web', ports: [{ port: 80, protocol: 'SCTP' }], spec: families });
  const proxied = {
    ...web(),
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.9', ipMode: 'Proxy' }] } },
  };
  assert.deepEqual(read([web({ clusterIPs: ['None'] }), sctp], [slice(here)], 'node1'), []);
  assert.deepEqual(
    read([proxied], [slice(here)], 'node1').map(({ externalIps }) => externalIps),
    [[]],
  );
});
