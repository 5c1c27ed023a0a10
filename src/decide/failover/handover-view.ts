/** What one node knows of planned moves: who hands what to whom, what it remembers, and what is not to move. */

import type { Ip } from '../../model/ip.ts';
import type { Member } from '../../model/member.ts';
import type { Liveness } from '../announcement/judge-members.ts';
import { protocolVersion } from '../announcement/local-subnets.ts';
import type { HandingOver } from './hand-over.ts';

export interface HandoverView {
  /** Addresses that a live member hands to this node. */
  readonly offered: ReadonlyMap<Ip, string>;
  /** Whom this node's own Lease names, as the others can read it. */
  readonly named: ReadonlyMap<Ip, string>;
  /** Live members that speak our protocol. */
  readonly peers: ReadonlySet<string>;
  /** False: a newer process on this node writes the Lease. */
  readonly isLeaseOurs: boolean;
  readonly memory: HandoverMemory;
  /** Addresses that moved too often, and until when they stay. */
  readonly damped: ReadonlyMap<Ip, number>;
}

/** From one decision to the next, by address. */
export type HandoverMemory = ReadonlyMap<Ip, Handover>;

export type Handover =
  | HandingOver
  | TakingOver
  /** A move is over, and the address is here: the neighbours are told (again) from then on. */
  | { readonly role: 'settled'; readonly at: number };

/** The member `from` hands it to this node, which has had it since. */
export interface TakingOver {
  readonly role: 'successor';
  readonly from: string;
  readonly since: number;
  /** When the offer was over, however it ended. */
  readonly endedAt?: number;
}

export const noHandovers: HandoverView = {
  offered: new Map(),
  named: new Map(),
  peers: new Set(),
  isLeaseOurs: true,
  memory: new Map(),
  damped: new Map(),
};

export interface HandoverSources {
  readonly me: string;
  /** Of this process. */
  readonly instance: string;
  readonly members: readonly Member[];
  readonly liveness: ReadonlyMap<string, Liveness>;
}

export function viewHandovers({
  me,
  instance,
  members,
  liveness,
}: HandoverSources): Omit<HandoverView, 'memory' | 'damped'> {
  const mine = members.find(({ node }) => node === me);
  const peers = members.filter(
    ({ node, protocolVersion: version }) =>
      node !== me && version === protocolVersion && liveness.get(node) !== 'expired',
  );
  const offers = peers.flatMap(({ node: from, handing }) =>
    handing.filter(({ node }) => node === me).map(({ ip }) => [ip, from] as const),
  );
  return {
    offered: new Map(offers),
    named: new Map(mine?.handing.map(({ ip, node }) => [ip, node])),
    peers: new Set(peers.map(({ node }) => node)),
    isLeaseOurs: mine?.instance === instance,
  };
}
