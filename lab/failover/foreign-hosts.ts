/** Hosts outside the cluster that have one of its addresses; and the node's own, which DHCP gives it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { serviceGroups, services } from '../../src/kube/resources.ts';
import { PacketNeighbours } from '../../src/linux/packet-neighbours.ts';
import { requestAnnotations } from '../../src/model/annotations.ts';
import { familyOf, type Ip, ipOf } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { formatPrefix } from '../../src/model/prefix.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { installNamespace } from '../cluster/installed-objects.ts';
import { addressesOf } from '../cluster/workload.ts';
import { eventually } from '../eventually.ts';
import { inNamespace } from '../in-namespace.ts';
import { hostNumbers } from '../network/address-plan.ts';
import type { Host } from '../network/host.ts';
import { firstNicIndex } from '../network/network-commands.ts';
import { planHost } from '../network/plan-lan.ts';
import type { FailoverWorld } from './failover-world.ts';
import { namespace, service } from './measured-service.ts';
import { nothing, type Scenario } from './scenario.ts';

const stranger = 'stranger';
const newcomer = 'newcomer';
const patienceMs = 30_000;

/** The first that the next Service of this group would get. */
const taken = ['192.0.2.200', '2001:db8:1::200'].map((text) => ipOf(text));
const group: KubeObject = {
  apiVersion: 'purelb.io/v2',
  kind: 'ServiceGroup',
  metadata: { name: newcomer, namespace: installNamespace },
  spec: {
    local: {
      v4pools: [{ subnet: '192.0.2.0/24', pool: '192.0.2.200-192.0.2.229' }],
      v6pools: [{ subnet: '2001:db8:1::/64', pool: '2001:db8:1::200-2001:db8:1::22f' }],
    },
  },
};

/** It has what a new Service would get: that one gets other addresses. */
export const foreignBefore: Scenario = {
  name: 'foreign host has an address before it is given',
  stage: async ({ world }) => {
    const host = await meetStranger(world);
    for (const ip of taken) await give(host, ip);
    await world.cluster.create(group);
    return {
      act: async () => {
        await world.cluster.create(newService());
        await eventually(() => isServedElsewhere(world), { withinMs: patienceMs });
      },
      heal: async () => {
        await remove(world);
        for (const ip of taken) await takeBack(host, ip);
      },
    };
  },
  settlesMs: 500,
  limits: nothing,
};

function newService(): KubeObject {
  const usual = service(newcomer);
  const annotations = { [requestAnnotations.serviceGroup]: newcomer };
  return { ...usual, metadata: { ...usual.metadata, annotations } };
}

/** It says so once, and answers for it from then on. */
export const foreignAfter: Scenario = {
  name: 'foreign host takes an address in use',
  stage: async ({ world }) => {
    const host = await meetStranger(world);
    const ips = Object.values(world.ips);
    return {
      act: async () => {
        for (const ip of ips) {
          await give(host, ip);
          announce(host, ip);
        }
      },
      heal: async () => {
        for (const ip of ips) await takeBack(host, ip);
      },
    };
  },
  settlesMs: 4000,
  // Neighbours that have just believed the stranger may ignore the holder for a second.
  limits: { ...nothing, outageMs: 1500, lost: 1500, broken: 10 },
};

/** Its client sets the same address with a new lifetime, as it does after half of it. */
export const dhcpRenewal: Scenario = {
  name: "DHCP renewal of the node's own address",
  stage: ({ world, ip }) => {
    const host = world.cluster.lab.host(world.holder(ip));
    const [{ addresses } = { addresses: [] }] = host.nics.map(({ plan }) => plan);
    const set = async (lifetime: string) => {
      const lines = addresses.map(
        (each) =>
          `address change ${formatPrefix(each)} dev eth0 valid_lft ${lifetime} preferred_lft ${lifetime}\n`,
      );
      await host.run(['ip', '-batch', '-'], { input: lines.join('') });
    };
    return {
      act: async () => {
        for (const seconds of [600, 3600, 600]) {
          await set(String(seconds));
          await sleep(700);
        }
      },
      heal: () => set('forever'),
    };
  },
  settlesMs: 1500,
  limits: nothing,
};

async function meetStranger({ cluster: { lab }, candidates }: FailoverWorld): Promise<Host> {
  const known = lab.hosts.find(({ name }) => name === stranger);
  if (known !== undefined) return known;
  const { segment } = lab.host(candidates[0] ?? '').nic();
  const number = hostNumbers.lastClient;
  const host = planHost({ name: stranger, role: 'server', number, segments: [segment.plan] });
  await lab.add({ segments: [], hosts: [host] });
  return lab.host(stranger);
}

async function isServedElsewhere(world: FailoverWorld): Promise<void> {
  const found = await world.cluster.cluster.get(services, { namespace, name: newcomer });
  const given = addressesOf(found) as readonly Ip[];
  const held = given.filter((ip) => world.holders(ip).length === 1 && !taken.includes(ip));
  if (held.length < 2) throw new Error(`${given.join()} given, ${held.join()} held`);
}

/** With its group, whose status knows of the conflicts. */
async function remove(world: FailoverWorld): Promise<void> {
  const { cluster } = world.cluster;
  await cluster.delete(services, { namespace, name: newcomer });
  const isGone = () => {
    const left = world.cluster.addresses.filter(({ ip }) => /[.:]2[0-9a-f]{2}$/.test(ip));
    if (left.length > 0) throw new Error(`${left.map(({ ip }) => ip).join()} is still held`);
  };
  await eventually(isGone, { withinMs: patienceMs });
  await cluster.delete(serviceGroups, { namespace: installNamespace, name: newcomer });
}

const lengthOf = (ip: Ip) => (familyOf(ip) === 'ipv4' ? 24 : 64);

async function give(host: Host, ip: Ip): Promise<void> {
  const detection = familyOf(ip) === 'ipv4' ? [] : ['nodad'];
  await host.run(['ip', 'address', 'add', `${ip}/${lengthOf(ip)}`, 'dev', 'eth0', ...detection]);
}

async function takeBack(host: Host, ip: Ip): Promise<void> {
  await host.run(['ip', 'address', 'delete', `${ip}/${lengthOf(ip)}`, 'dev', 'eth0']);
}

function announce(host: Host, ip: Ip): void {
  const { name, plan } = host.nic();
  inNamespace(host.namespace, () => {
    const neighbours = new PacketNeighbours({ clock: new SystemClock(), identifier: 0 });
    neighbours.announce({ link: { index: firstNicIndex, name, mac: plan.mac }, ip });
    neighbours.close();
  });
}
