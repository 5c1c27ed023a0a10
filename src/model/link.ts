import type { Mac } from './mac.ts';

/** A network interface as the kernel describes it. */
export interface Link {
  readonly index: number;
  readonly name: string;
  /** Driver kind such as `veth`, `bridge`, `dummy`; absent for physical and loopback links. */
  readonly kind?: string;
  readonly mac?: Mac;
  readonly mtu: number;
  /** Set up by the administrator (IFF_UP). */
  readonly isUp: boolean;
  /** The lower layer can carry frames (IFF_LOWER_UP). */
  readonly hasCarrier: boolean;
  readonly operState: OperState;
  readonly isLoopback: boolean;
  /** Answers no ARP or ND on this link (IFF_NOARP): dummy, ifb, tunnels. */
  readonly isNoArp: boolean;
  /** Index of the bridge, bond or VRF this link belongs to. */
  readonly masterIndex?: number;
}

/** What it takes to send and receive frames on a link. */
export type EthernetLink = Pick<Link, 'index' | 'name'> & { readonly mac: Mac };

/** RFC 2863 operational states, in the kernel's words and order (IF_OPER_*). */
export const operStates = [
  'unknown',
  'not-present',
  'down',
  'lower-layer-down',
  'testing',
  'dormant',
  'up',
] as const;
export type OperState = (typeof operStates)[number];
