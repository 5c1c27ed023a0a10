/** Ways to cut a host off that differ in what its kernel notices. */

import type { Host, Nic } from '../network/host.ts';
import { addressBatch } from '../network/network-commands.ts';
import { run } from '../process/run.ts';
import { type Fault, inflict } from './fault.ts';
import { inflictOnWire } from './wire-fault.ts';

/** Pulls the cable: the host sees its carrier go and come back. Addresses stay. */
export async function unplug(nic: Nic): Promise<Fault> {
  return inflictOnWire(`unplugged ${describe(nic)}`, [
    { segment: nic.segment, fault: { kind: 'unplugged', port: nic.port } },
  ]);
}

/** Cuts behind the switch port: nothing passes in either direction, and the host's carrier stays. */
export async function cutPort(nic: Nic): Promise<Fault> {
  return inflictOnWire(`cut the switch port of ${describe(nic)}`, [
    { segment: nic.segment, fault: { kind: 'disconnected', port: nic.port } },
  ]);
}

/** Cuts the switch ports of all of a host's NICs: it lives, alone, with its carriers up. */
export async function isolate(host: Host): Promise<Fault> {
  return inflictOnWire(
    `isolated ${host.name}`,
    host.nics.map(({ segment, port }) => ({ segment, fault: { kind: 'disconnected', port } })),
  );
}

/**
 * Sets the link down on the host itself, as its administrator would. Its kernel forgets the link's IPv6 addresses
 * and all routes through it; healing gives back those of the plan, and only those.
 */
export async function takeDown(nic: Nic): Promise<Fault> {
  const { namespace, plan } = nic.host;
  const own = { nics: [nic.plan], routes: plan.routes };
  return inflict(`took down ${describe(nic)}`, {
    impose: async () => {
      await run(['ip', '-n', namespace, 'link', 'set', nic.name, 'down']);
    },
    lift: async () => {
      const input = `link set ${nic.name} up\n${addressBatch(own)}`;
      await run(['ip', '-n', namespace, '-batch', '-'], { input });
    },
  });
}

function describe(nic: Nic): string {
  return `${nic.host.name}'s ${nic.name}`;
}
