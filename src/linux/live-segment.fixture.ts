/** The world of the neighbours' contract in real namespaces: we and two peers, joined by a bridge. */

import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inNamespace } from '../../lab/in-namespace.ts';
import { familyOf, type Ip, ipOf } from '../model/ip.ts';
import type { EthernetLink } from '../model/link.ts';
import { type Mac, macOf } from '../model/mac.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import { encodeFrame } from '../wire/encode-frame.ts';
import type { NeighbourPeer, NeighbourWorld } from './neighbours-world.contract.ts';
import { PacketNeighbours } from './packet-neighbours.ts';
import { PacketSender } from './packet-sender.ts';

export const clock = new SystemClock();
const identifier = 0x1234;
const execute = promisify(execFile);
let worlds = 0;

/** Runs `ip` once for all these lines, in our own namespace. */
export function ip(...lines: readonly string[]): void {
  runIp([], lines);
}

export function ipIn(namespace: string, ...lines: readonly string[]): void {
  runIp(['-n', namespace], lines);
}

function runIp(options: readonly string[], lines: readonly string[]): void {
  const input = lines.join('\n');
  execFileSync('ip', [...options, '-batch', '-'], { input, stdio: ['pipe', 'ignore', 'pipe'] });
}

export interface LiveWorld extends NeighbourWorld {
  readonly peers: readonly [LivePeer, LivePeer];
}

export interface LivePeer extends NeighbourPeer {
  readonly namespace: string;
  readonly link: EthernetLink;
}

/** The caller has entered a fresh namespace; ours is there. */
export async function openLiveWorld(): Promise<LiveWorld> {
  const suffix = `${process.pid}-${++worlds}`;
  const bridge = `bridge-${suffix}`;
  const ours = `us${worlds}`;
  makeNamespace(bridge);
  ipIn(bridge, 'link add br0 type bridge forward_delay 0 mcast_snooping 0', 'link set br0 up');
  quieten();
  const mac = macOf('02:00:5e:10:00:01');
  // A veth whose two ends happen to have the same index takes up to a second to come up (linkwatch_urgent_event).
  const link = plug({ bridge, port: 'p1', name: ours, mac, index: 100 + worlds });
  ip(...addressLines(`dev ${ours}`, 1));
  const peers = [openPeer(bridge, suffix, 2), openPeer(bridge, suffix, 3)] as const;
  await untilConnected(
    link,
    peers.map(({ peer }) => peer),
  );
  const neighbours = new PacketNeighbours({ clock, identifier });
  return {
    neighbours,
    link,
    ips: ipsOf(1),
    peers: [peers[0].peer, peers[1].peer],
    now: () => clock.monotonic(),
    pass: async (ms) => sleep(ms),
    block: (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
    setLink: (state) => ip(`link set ${ours} ${state}`),
    deleteLink: () => ip(`link delete ${ours}`),
    close: async () => {
      for (const { close } of peers) close();
      neighbours.close();
      ip(
        ...[bridge, ...peers.map(({ peer }) => peer.namespace)].map(
          (name) => `netns delete ${name}`,
        ),
      );
    },
  };
}

function openPeer(bridge: string, suffix: string, number: number) {
  const namespace = `peer${number}-${suffix}`;
  makeNamespace(namespace);
  const mac = macOf(`02:00:5e:10:00:0${number}`);
  const link = plug({ bridge, port: `p${number}`, name: 'eth0', mac, namespace });
  ipIn(namespace, 'link set lo up', ...addressLines('dev eth0', number));
  const neighbours = new PacketNeighbours({ clock, identifier });
  const sender = inNamespace(namespace, () => new PacketSender());
  const peer: LivePeer = {
    namespace,
    link,
    mac,
    ips: ipsOf(number),
    hold: (address, on = 'segment') =>
      ipIn(namespace, `address add ${host(address)} dev ${on === 'segment' ? 'eth0' : 'lo'}`),
    release: (address) => ipIn(namespace, `address delete ${host(address)} dev eth0`),
    ping: async (address) => {
      // It may well stay unanswered.
      const argv = ['netns', 'exec', namespace, 'ping', '-n', '-c1', '-W1', address];
      await execute('ip', argv).catch(() => {});
    },
    say: (frame) => inNamespace(namespace, () => sender.send(link.index, encodeFrame(frame))),
    neighbour: (address) => readNeighbour(namespace, address),
    die: () => ipIn(namespace, 'link set eth0 down'),
    listen: (listener) => inNamespace(namespace, () => neighbours.listen(link, listener)),
  };
  const close = () => {
    neighbours.close();
    sender.close();
  };
  return { peer, close };
}

/** Carrier and bridge ports come up in their own time. */
async function untilConnected(link: EthernetLink, peers: readonly LivePeer[]): Promise<void> {
  const neighbours = new PacketNeighbours({ clock, identifier: 0 });
  const silent = new Set(peers.map(({ mac }) => mac));
  neighbours.listen(link, (event) => {
    if (event.kind === 'arp' && event.operation === 'reply') silent.delete(event.from);
  });
  const deadline = clock.monotonic() + 5000;
  while (silent.size > 0 && clock.monotonic() < deadline) {
    for (const { ips, mac } of peers) neighbours.probe({ link, ip: ips.ipv4, to: mac });
    await sleep(5);
  }
  neighbours.close();
  if (silent.size > 0) throw new Error(`not connected after 5 s: ${[...silent].join(', ')}`);
}

function makeNamespace(name: string): void {
  ip(`netns add ${name}`);
  inNamespace(name, quieten);
}

/** No duplicate address detection and no router solicitations on links to come. */
function quieten(): void {
  for (const setting of ['accept_dad', 'router_solicitations']) {
    writeFileSync(`/proc/sys/net/ipv6/conf/default/${setting}`, '0');
  }
}

interface Plug {
  readonly bridge: string;
  readonly port: string;
  readonly name: string;
  readonly mac: Mac;
  /** Ours if absent. */
  readonly namespace?: string;
  readonly index?: number;
}

/** A veth pair: one end in the bridge, the other end is the host's link. */
function plug({ bridge, port, name, mac, namespace, index }: Plug): EthernetLink {
  const there = namespace === undefined ? [] : ['-n', namespace];
  runIp(there, [
    `link add ${name} ${index === undefined ? '' : `index ${index} `}address ${mac} type veth peer name ${port} netns ${bridge}`,
    `link set ${name} up`,
  ]);
  ipIn(bridge, `link set ${port} master br0 up`);
  const argv = [...there, '-j', 'link', 'show', name];
  const [shown] = JSON.parse(execFileSync('ip', argv, { encoding: 'utf8' })) as [
    { ifindex: number },
  ];
  return { index: shown.ifindex, name, mac };
}

function ipsOf(number: number) {
  return { ipv4: ipOf(`192.0.2.${number}`), ipv6: ipOf(`2001:db8::${number}`) };
}

function addressLines(device: string, number: number): readonly string[] {
  const { ipv4, ipv6 } = ipsOf(number);
  return [`address add ${ipv4}/24 ${device}`, `address add ${ipv6}/64 ${device} nodad`];
}

function host(address: Ip): string {
  return familyOf(address) === 'ipv4' ? `${address}/32` : `${address}/128`;
}

function readNeighbour(namespace: string, address: Ip): Mac | undefined {
  const argv = ['-n', namespace, '-j', 'neigh', 'show', address, 'dev', 'eth0'];
  const shown = JSON.parse(execFileSync('ip', argv, { encoding: 'utf8' })) as { lladdr?: Mac }[];
  return shown[0]?.lladdr;
}
