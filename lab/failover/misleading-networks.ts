/** Networks in which others answer for an address, too. */

import type { Mac } from '../../src/model/mac.ts';
import { answerForOthers } from '../faults/answer-for-others.ts';
import { dropFrames } from '../faults/drop-frames.ts';
import type { Fault } from '../faults/fault.ts';
import { suppressArp } from '../faults/suppress-arp.ts';
import type { Host } from '../network/host.ts';
import { IpvsLinks } from '../network/ipvs-links.ts';
import type { FailoverWorld } from './failover-world.ts';
import { failover, nothing, type Scenario, type Trial, unreachable } from './scenario.ts';

/** So long a switch believes in a host that says nothing any more. */
const forgetsAfterMs = 2000;

/** The holder is behind the fabric, and its switch port dead: what the switch knows of it is out of date. */
export const suppressedDeath: Scenario = {
  name: 'ARP suppression, switch-port cut',
  stage: async ({ world, ip }) => {
    const host = world.cluster.lab.host(world.holder(ip));
    const suppression = await suppressArp(host.nic(), Object.values(world.ips));
    const cuts: Fault[] = [];
    return {
      act: async () => {
        cuts.push(await cutSilently(host));
        setTimeout(() => void suppression.heal(), forgetsAfterMs);
      },
      heal: async () => {
        for (const fault of [...cuts, suppression]) await fault.heal();
      },
    };
  },
  settlesMs: 4000,
  limits: { ...failover, ...unreachable },
};

/** Nobody hears the holder when everyone is asked: agents that start know it all the same. */
export const suppressedRestart: Scenario = {
  name: 'ARP suppression, all agents restarted at once',
  stage: async ({ world, ip }) => {
    const host = world.cluster.lab.host(world.holder(ip));
    const suppression = await suppressArp(host.nic(), Object.values(world.ips));
    return {
      act: () => world.cluster.machines.restartAllAgents(),
      heal: () => suppression.heal(),
    };
  },
  settlesMs: 2000,
  limits: nothing,
};

/** Its port stays a port of the switch, which goes on believing in it. */
async function cutSilently(host: Host): Promise<Fault> {
  const faults = [
    await dropFrames({ from: host.nic() }),
    await dropFrames({ to: host.nic() }),
  ] as const;
  const heal = async () => {
    for (const fault of faults) await fault.heal();
  };
  return { what: 'cut silently', since: faults[0].since, heal, [Symbol.asyncDispose]: heal };
}

/** A switch that answers probes from its table as well (RFC 9161), for a holder that is dead. */
export const answeredForDead: Scenario = {
  name: 'switch answers for the dead node for 2 s',
  stage: async ({ world, ip }) => {
    const host = world.cluster.lab.host(world.holder(ip));
    const { mac } = host.nic().plan;
    const ours = new Set(Object.values(world.ips));
    const { machines } = world.cluster;
    let answering: Fault | undefined;
    return {
      act: async () => {
        const macOf = (asked: Trial['ip']) => (ours.has(asked) ? mac : undefined);
        answering = await answerForOthers(host.nic().segment, { macOf });
        setTimeout(() => void answering?.heal(), forgetsAfterMs);
        await machines.powerOff(host.name);
      },
      heal: async () => {
        await answering?.heal();
        await machines.powerOn(host.name);
      },
    };
  },
  settlesMs: 5000,
  // Who answers for the holder keeps others from taking over: see the threat model.
  limits: { ...failover, outageMs: forgetsAfterMs + 1000 },
};

/** The router answers for every address but those of hosts that it sees in use; it does not ask itself. */
export const proxyArp: Scenario = {
  name: 'proxy ARP, node power-cut',
  stage: async ({ world, ip }) => {
    const { lab, machines } = world.cluster;
    const node = world.holder(ip);
    const { segment } = lab.host(node).nic();
    const proxy = await answerForOthers(segment, proxyOf(world));
    return {
      act: () => machines.powerOff(node),
      heal: async () => {
        await proxy.heal();
        await machines.powerOn(node);
      },
    };
  },
  settlesMs: 4000,
  limits: failover,
};

function proxyOf({ cluster: { lab }, candidates }: FailoverWorld) {
  const { segment } = lab.host(candidates[0] ?? '').nic();
  const routers = lab.router.nics.filter((nic) => nic.segment === segment);
  const [mac] = routers.map(({ plan }): Mac => plan.mac);
  const planned = new Set(
    lab.hosts
      .flatMap(({ nics }) => nics.flatMap(({ plan }) => plan.addresses))
      .map((each) => each.ip),
  );
  return {
    macOf: (asked: Trial['ip']) => (planned.has(asked) ? undefined : mac),
    except: routers.map(({ plan }) => plan.mac),
  };
}

/** kube-proxy with IPVS and without `strictARP`: every node answers ARP for every address. */
export const ipvs: Scenario = {
  name: 'kube-ipvs0 with arp_ignore 0, node power-cut',
  stage: async ({ world, ip }) => {
    const { lab, machines } = world.cluster;
    const node = world.holder(ip);
    const links = await IpvsLinks.add(
      world.candidates.map((name) => lab.host(name)),
      0,
    );
    await links.fill(Object.values(world.ips));
    return {
      act: () => machines.powerOff(node),
      heal: async () => {
        await links[Symbol.asyncDispose]();
        await machines.powerOn(node);
      },
    };
  },
  settlesMs: 4000,
  limits: failover,
};
