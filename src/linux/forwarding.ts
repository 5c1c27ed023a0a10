/**
 * The port to the rules by which this node forwards what arrives at the addresses of Services: kube-proxy makes them.
 * `KubeProxyForwarding` is the real one.
 */

import type { Opening } from '../model/guard.ts';
import type { Ip } from '../model/ip.ts';

/** An address, and the ports of all Services that have it. */
export interface ForwardingQuestion {
  readonly ip: Ip;
  readonly openings: readonly Opening[];
}

export interface Forwarding {
  /** Whether the rules for all ports stand, for each question in its turn. What cannot be read is no failure. */
  look(questions: readonly ForwardingQuestion[]): Promise<readonly ForwardingAnswer[]>;

  close(): void;
}

export type ForwardingAnswer =
  | 'standing'
  | 'missing'
  /** There is nothing of kube-proxy here, or the kernel does not tell: nothing is known of the rules. */
  | 'unreadable';
