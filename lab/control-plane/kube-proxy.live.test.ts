import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../eventually.ts';
import { enterFreshNamespace } from '../fresh-namespace.ts';
import { missing } from '../missing.ts';
import { missingBinaries } from './binaries.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { Daemon } from './daemon.ts';
import { startKubeProxy } from './kube-proxy.ts';
import { endpointSlice, loadBalancerStatus, node, service } from './objects.ts';
import { createObject, writeStatus } from './write-object.ts';

/**
 * This process and the API server sit in a namespace of their own, connected to the node for management:
 *
 *   here 203.0.113.1 ── 203.0.113.2 node 192.0.2.1 ── 192.0.2.2 client      load balancer addresses are routed
 *                                   2001:db8::1    ── 2001:db8::2           by the client through the node
 */
const network = `
ip link set lo up
for name in node client; do ip netns add $name; ip -n $name link set lo up; done
ip link add mgmt0 type veth peer name mgmt0 netns node
ip addr add 203.0.113.1/24 dev mgmt0
ip link set mgmt0 up
ip -n node addr add 203.0.113.2/24 dev mgmt0
ip -n node link set mgmt0 up
ip -n node link add eth0 type veth peer name eth0 netns client
ip -n node addr add 192.0.2.1/24 dev eth0
ip -n node addr add 2001:db8::1/64 dev eth0 nodad
ip -n client addr add 192.0.2.2/24 dev eth0
ip -n client addr add 2001:db8::2/64 dev eth0 nodad
ip -n node link set eth0 up
ip -n client link set eth0 up
ip -n client route add 198.51.100.0/24 via 192.0.2.1
ip -n client route add 2001:db8:100::/64 via 2001:db8::1
`;

/** Echoes on TCP and UDP port 8080 of every address. */
const echo = `
require('node:net').createServer((socket) => socket.pipe(socket)).listen(8080, '::');
const socket = require('node:dgram').createSocket({ type: 'udp6' });
socket.on('message', (message, { address, port }) => socket.send(message, port, address));
socket.bind(8080, '::');
`;

/** Sends \`hello\` to a port over TCP or UDP, prints what comes back, and gives up after half a second. */
const ask = `
const [protocol, host, port] = process.argv.slice(1);
const done = (answer) => { process.stdout.write(answer); process.exit(); };
setTimeout(() => done('silence'), 500);
if (protocol === 'TCP') {
  const socket = require('node:net').connect(Number(port), host, () => socket.write('hello'));
  socket.on('data', done).on('error', (error) => done(error.code));
} else {
  const socket = require('node:dgram').createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', done).on('error', (error) => done(error.code));
  socket.send('hello', Number(port), host);
}
`;

const inside = (name: string, ...argv: readonly string[]) =>
  execFileSync('ip', ['netns', 'exec', name, ...argv], { encoding: 'utf8' });
const askFor = (protocol: string, host: string, port: number) =>
  inside('client', process.execPath, '-e', ask, '--', protocol, host, String(port));

const modes = {
  nftables: { command: 'nft', list: () => inside('node', 'nft', 'list', 'ruleset') },
  iptables: {
    command: 'iptables',
    list: () => inside('node', 'iptables-save') + inside('node', 'ip6tables-save'),
  },
} as const;

const families = [
  { family: 'IPv4', vip: '198.51.100.10', backend: '192.0.2.1' },
  { family: 'IPv6', vip: '2001:db8:100::10', backend: '2001:db8::1' },
];

for (const mode of ['nftables', 'iptables'] as const) {
  const { command, list } = modes[mode];
  const skip = missing('ip', command) || missingBinaries('etcd', 'kube-apiserver', 'kube-proxy');

  describe(`kube-proxy with ${mode}`, () => {
    const daemons: Daemon[] = [];
    let api: ControlPlane;

    before(async () => {
      if (skip !== false) return;
      enterFreshNamespace();
      execFileSync('sh', ['-e', '-c', network]);
      api = await startControlPlane({ authorization: 'rbac', host: '203.0.113.1' });
      const addresses = ['192.0.2.1', '2001:db8::1'];
      await createObject(api.request.bind(api), node({ name: 'node1', addresses }));
      const { dir } = api;
      const prefix = ['ip', 'netns', 'exec', 'node'];
      const kubeconfig = api.kubeconfig(join(dir, 'kube-proxy.kubeconfig'), 'system:kube-proxy');
      const logFile = join(dir, 'echo.log');
      daemons.push(
        await Daemon.start([process.execPath, '-e', echo], { prefix, logFile }),
        await startKubeProxy({ kubeconfig, node: 'node1', dir, prefix, mode }),
      );
    });

    after(async () => {
      await Promise.all(daemons.map((daemon) => daemon.kill()));
      await api?.stop();
      if (skip === false) execFileSync('ip', ['-all', 'netns', 'del']);
    });

    for (const { family, vip, backend } of families) {
      test(`${family} to a load balancer address reaches an endpoint`, { skip }, async () => {
        const send = api.request.bind(api);
        const name = `echo-${family.toLowerCase()}`;
        const ports = (['TCP', 'UDP'] as const).map((protocol) => ({
          port: 80,
          targetPort: 8080,
          protocol,
        }));
        const endpoints = [{ ip: backend, node: 'node1' }];
        const balanced = service({ name, ports, spec: { ipFamilies: [family] } });
        await createObject(send, balanced);
        await createObject(send, endpointSlice({ service: name, ports, endpoints }));
        assert.ok(!list().includes(vip));
        await writeStatus(send, { ...balanced, status: loadBalancerStatus([vip]) });
        const answers = () => [askFor('TCP', vip, 80), askFor('UDP', vip, 80)];
        await eventually(() => assert.deepEqual(answers(), ['hello', 'hello']), {
          withinMs: 20_000,
        });
        assert.ok(list().includes(vip));
      });
    }
  });
}
