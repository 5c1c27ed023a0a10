/** What a node lets in at the addresses of Services: a word between who decides it and who tells the kernel. */

import type { Ip } from './ip.ts';
import type { ServicePort } from './load-balancer.ts';

export interface GuardRules {
  /** Nothing reaches the node itself at these but what is listed; empty: everything does, everywhere. */
  readonly addresses: readonly Ip[];
  readonly openings: readonly Opening[];
}

export interface Opening extends ServicePort {
  readonly ip: Ip;
}

export const noGuard: GuardRules = { addresses: [], openings: [] };

/** `192.0.2.100 TCP 80`: the same text for the same opening. */
export function formatOpening({ ip, protocol, port }: Opening): string {
  return `${ip} ${protocol} ${port}`;
}
