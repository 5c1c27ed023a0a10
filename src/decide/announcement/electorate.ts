/** Who takes part in elections, made ready to be asked about many addresses. */

import type { ClusterNode } from '../../model/cluster-node.ts';
import { type Family, familyOf, type Ip, ipToBigInt } from '../../model/ip.ts';
import type { Member } from '../../model/member.ts';
import type { CandidateVerdict } from '../../model/placement-reasons.ts';
import { formatPrefix, type Prefix } from '../../model/prefix.ts';
import { type Range, rangeOfPrefix } from '../../model/range.ts';
import type { Liveness } from './judge-members.ts';

export interface Elector {
  readonly node: string;
  /** Networks that it may hold addresses of. */
  readonly subnets: readonly Range[];
  /** Networks of links that are not ready; known of this node only. */
  readonly unreadySubnets: readonly Range[];
  /** What keeps it from holding any address. */
  readonly bar: CandidateVerdict | undefined;
  /** Its Lease is renewed, whatever else keeps it from holding addresses. */
  readonly hasAgent: boolean;
  /** Addresses that it could not put on its links. */
  readonly failing: ReadonlySet<Ip>;
}

export interface Electorate {
  readonly me: string;
  /** Sorted by name, this node included. */
  readonly electors: readonly Elector[];
  /** Names of all Nodes; undefined: not known. */
  readonly nodeNames: ReadonlySet<string> | undefined;
}

export interface ElectorateFacts {
  readonly me: string;
  /** By their Leases. */
  readonly members: readonly Member[];
  readonly liveness: ReadonlyMap<string, Liveness>;
  /** Undefined: not known, so that nobody is barred for what its Node says. */
  readonly nodes: readonly ClusterNode[] | undefined;
  /** What this node could hold now, whatever its Lease says. */
  readonly mySubnets: readonly Prefix[];
  readonly myUnreadySubnets: readonly Prefix[];
  /** What this node could not put on its links, whatever its Lease says: that it may try again is for it to know. */
  readonly myFailing: ReadonlySet<Ip>;
  /** This agent ends and hands over what it holds. */
  readonly isLeaving?: boolean;
}

export function prepareElectorate(facts: ElectorateFacts): Electorate {
  const nodes = facts.nodes && new Map(facts.nodes.map((node) => [node.name, node]));
  const others = facts.members.filter(({ node }) => node !== facts.me);
  const electors = [
    prepareMyself(facts, nodes),
    ...others.map(({ node, subnets, failing }) => ({
      node,
      hasAgent: facts.liveness.get(node) !== 'expired',
      failing: failing.length === 0 ? none : new Set(failing),
      subnets: subnets.map(rangeOfPrefix),
      unreadySubnets: [],
      bar: findBar(node, facts.liveness, nodes),
    })),
  ];
  const nodeNames = nodes && new Set(nodes.keys());
  return { me: facts.me, electors: electors.sort(byName), nodeNames };
}

const none: ReadonlySet<Ip> = new Set();

/** An address as a number: read once, and then held against the networks of every member. */
export interface Point {
  readonly family: Family;
  readonly value: bigint;
}

export function pointOf(ip: Ip): Point {
  return { family: familyOf(ip), value: ipToBigInt(ip) };
}

export function isWithin(networks: readonly Range[], { family, value }: Point): boolean {
  return networks.some(
    (network) => network.family === family && network.first <= value && value <= network.last,
  );
}

type Nodes = ReadonlyMap<string, ClusterNode> | undefined;

/**
 * This node counts only with what its Lease says *and* what is still so: the others elect by the Lease, and what it
 * promises may have broken since it was written.
 */
function prepareMyself(facts: ElectorateFacts, nodes: Nodes): Elector {
  const { me, mySubnets, myUnreadySubnets } = facts;
  const lease = facts.members.find(({ node }) => node === me);
  // What it ends with is for it to know: the others elect without it by then.
  const isKnown = lease !== undefined && facts.isLeaving !== true;
  const promised = isKnown ? new Set(lease.subnets.map(formatPrefix)) : undefined;
  const current = mySubnets.filter((prefix) => promised?.has(formatPrefix(prefix)) ?? true);
  const bar = findBarOfNode(me, nodes) ?? findOwnBar(facts, lease);
  return {
    node: me,
    hasAgent: lease !== undefined,
    failing: facts.myFailing,
    subnets: current.map(rangeOfPrefix),
    unreadySubnets: myUnreadySubnets.map(rangeOfPrefix),
    bar,
  };
}

function findOwnBar(
  { isLeaving }: ElectorateFacts,
  lease: Member | undefined,
): CandidateVerdict | undefined {
  if (lease === undefined) return 'noLease';
  return isLeaving === true ? 'shuttingDown' : undefined;
}

function findBar(
  name: string,
  liveness: ReadonlyMap<string, Liveness>,
  nodes: Nodes,
): CandidateVerdict | undefined {
  const bar = findBarOfNode(name, nodes);
  return bar ?? (liveness.get(name) === 'expired' ? 'leaseExpired' : undefined);
}

function findBarOfNode(name: string, nodes: Nodes): CandidateVerdict | undefined {
  if (nodes === undefined) return undefined;
  const node = nodes.get(name);
  if (node === undefined) return 'nodeGone';
  if (node.isExcluded) return 'excludedByLabel';
  return node.isBeingRemoved ? 'beingRemoved' : undefined;
}

function byName(left: Elector, right: Elector): number {
  return left.node < right.node ? -1 : 1;
}
