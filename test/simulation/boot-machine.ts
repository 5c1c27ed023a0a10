/** A kernel that has just started, with its links on the segment. */

import { FakeHost } from '../../src/linux/fake-host.ts';
import { FakeKernel } from '../../src/linux/fake-kernel.ts';
import type { FakeNic } from '../../src/linux/fake-nic.ts';
import type { FakeSegment } from '../../src/linux/fake-segment.ts';
import type { Ip } from '../../src/model/ip.ts';
import { macOf } from '../../src/model/mac.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { defaultRoute, gateways, nodeAddresses } from './address-plan.ts';

export interface NodeTraits {
  /** A second NIC on the same segment, without an address of its own. */
  readonly secondNic: boolean;
  /** Addresses on `kube-ipvs0`, which is down. */
  readonly ipvsIps: readonly Ip[];
}

/** By the order in which links are made. */
export const secondNicIndex = 3;

export interface MachineSetup {
  readonly number: number;
  readonly clock: Clock;
  readonly segment: FakeSegment;
  readonly traits?: NodeTraits | undefined;
}

/** With nothing of ours, as a kernel starts. */
export function bootMachine({ number, clock, segment, traits }: MachineSetup) {
  const kernel = new FakeKernel({ now: () => clock.monotonic() });
  const host = new FakeHost();
  const mac = macOf(`02:00:00:01:${macEnd(number)}`);
  const { index, name } = kernel.machine.addLink({ name: 'eth0', mac });
  for (const address of nodeAddresses(number)) kernel.machine.addForeign('eth0', address);
  for (const route of defaultRoute(index)) kernel.machine.addRoute(route);
  const addressesOf = (link: number) => ({ has: (ip: Ip) => kernel.machine.has(link, ip) });
  const nic = host.addNic({ link: { index, name, mac }, segment, addresses: addressesOf(index) });
  if (traits?.secondNic === true) {
    const other = macOf(`02:00:00:02:${macEnd(number)}`);
    const link = kernel.machine.addLink({ name: 'eth1', mac: other });
    const { index: second } = link;
    const ethernet = { index: second, name: 'eth1', mac: other };
    host.addNic({ link: ethernet, segment, addresses: addressesOf(second) });
  }
  if (traits !== undefined && traits.ipvsIps.length > 0) {
    const ipvs = kernel.machine.addLink({ name: 'kube-ipvs0', kind: 'dummy', isUp: false });
    for (const ip of traits.ipvsIps) {
      kernel.machine.addForeign('kube-ipvs0', `${ip}/${ip.includes(':') ? 128 : 32}`);
    }
    const link = { index: ipvs.index, name: ipvs.name, mac: macOf('02:00:00:03:00:01') };
    host.addNic({ link, addresses: addressesOf(ipvs.index) });
  }
  return { kernel, host, nic };
}

/** The router of the segment, which all nodes have as their default route. */
export function addGateway(segment: FakeSegment): FakeNic {
  const link = { index: 2, name: 'eth0', mac: macOf('02:00:00:01:00:01') };
  const addresses = new Set<Ip>(Object.values(gateways));
  return new FakeHost().addNic({ link, segment, addresses });
}

/** `00:11` for the first; there may be hundreds. */
function macEnd(number: number): string {
  const digits = String(10 + number).padStart(4, '0');
  return `${digits.slice(0, 2)}:${digits.slice(2)}`;
}
