/**
 * A host on the LAN that announces the cluster's addresses in the name of others. The nodes hear it; what clients make
 * of it is their own business, so that what is measured is what the nodes do.
 */

import type { FakePort } from '../../src/linux/fake-segment.ts';
import type { Ip } from '../../src/model/ip.ts';
import { type Mac, macOf } from '../../src/model/mac.ts';
import type { NeighbourFrame } from '../../src/model/neighbour-frame.ts';
import { announcementFrames } from '../../src/wire/announcement.ts';
import { probeFrame } from '../../src/wire/probe.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { Simulation } from './simulation.ts';

export const forgerMac = macOf('02:00:00:01:00:66');

const forgerPort: FakePort = { mac: forgerMac, receive: () => {} };

export interface Forgery {
  /**
   * `mismatched`: the content names a member, the Ethernet header the forger. `spoofed`: both name the member. `own`:
   * both name the forger. `many`: both name a MAC that is new in each frame.
   */
  readonly how: 'mismatched' | 'spoofed' | 'own' | 'many';
  /** Announcements, or questions of someone who is about to take the address. */
  readonly what: 'announcements' | 'probes';
  readonly ips: readonly Ip[];
  /** In whose name, for an address. */
  readonly victims: (ip: Ip) => readonly SimulatedNode[];
  readonly everyMs: number;
}

/** Begins at once; the result ends it. */
export function forge({ nodes, clock, segment }: Simulation, forgery: Forgery): () => void {
  const { how, what, ips, victims, everyMs } = forgery;
  let isOver = false;
  let count = 0;
  const macs = (ip: Ip): readonly Mac[] => {
    if (how === 'own') return [forgerMac];
    if (how === 'many') return [numberedMac(++count)];
    return victims(ip).map(({ nic }) => nic.mac);
  };
  const send = (frame: NeighbourFrame) => {
    const forged = how === 'mismatched' ? { ...frame, from: forgerMac } : frame;
    for (const { nic } of nodes) {
      const isHeard = nic.mac !== forged.from && segment.passes(forged, forgerPort, nic);
      if (isHeard) nic.receive(forged, clock.monotonic());
    }
  };
  const turn = () => {
    if (isOver) return;
    const frames = ips.flatMap((ip) => macs(ip).flatMap((mac) => framesOf(what, ip, mac)));
    for (const frame of frames) send(frame);
    clock.after(everyMs, turn);
  };
  turn();
  return () => {
    isOver = true;
  };
}

function framesOf(what: Forgery['what'], ip: Ip, mac: Mac): readonly NeighbourFrame[] {
  return what === 'announcements' ? announcementFrames({ ip, mac }) : [probeFrame({ ip, mac })];
}

function numberedMac(number: number): Mac {
  const digits = number.toString(16).padStart(8, '0').match(/../g) ?? [];
  return macOf(['06', '66', ...digits].join(':'));
}
