/** What becomes of our routes at the routers, and what the part of the agent that speaks BGP is told. */

import type { BgpPart } from '../bgp/bgp-part.ts';
import { rankNodes } from '../decide/announcement/rank-nodes.ts';
import type { ShutdownPolicy } from '../decide/announcement/shutdown-policy.ts';
import { findRunning } from '../decide/announcement/who-speaks.ts';
import { isNotFound } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { pods } from '../kube/resources.ts';
import type { Ip } from '../model/ip.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { AgentSetup } from './agent-parts.ts';
import type { PassRecord } from './pass-record.ts';
import { usualDummyLink } from './snapshot.ts';

export interface LeaveBgpSetup {
  readonly bgp?: Pick<BgpPart, 'leave'> | undefined;
  readonly cluster: Pick<Cluster, 'get'>;
  readonly installNamespace: string;
  readonly podName?: string;
}

/** Where only this process ends, the daemon beside it goes on, and so do our routes. */
export async function leaveBgp(setup: LeaveBgpSetup, policy: ShutdownPolicy): Promise<void> {
  const { bgp } = setup;
  if (bgp === undefined) return;
  // Another node takes over what routers sent here, whether or not this one comes back.
  if (policy !== 'keep') await bgp.leave('remove');
  else await bgp.leave((await isPodLeaving(setup)) ? 'restart' : 'stay');
}

const withinMs = 2_000;

async function isPodLeaving(setup: LeaveBgpSetup): Promise<boolean> {
  const { cluster, installNamespace: namespace, podName: name = '' } = setup;
  if (name === '') return false;
  try {
    const { metadata } = await cluster.get(pods, { namespace, name }, { withinMs });
    return metadata.deletionTimestamp !== undefined;
  } catch (error) {
    return isNotFound(error);
  }
}

export function tellBgp(
  { bgp, node }: Pick<AgentSetup, 'bgp' | 'node'>,
  { cluster, snapshot }: Pick<PassRecord, 'cluster' | 'snapshot'>,
): void {
  const virtualLink = snapshot.config?.dummyLink ?? usualDummyLink;
  const [spokesman] = rankNodes('bgp', [...findRunning(snapshot.electorate)]);
  bgp?.note({
    me: cluster.nodes.find(({ name }) => name === node),
    members: cluster.members,
    services: cluster.loadBalancers,
    protectedPrefixes: snapshot.protectedPrefixes,
    virtualLink,
    unmarkedServed: findUnmarkedServed(snapshot, virtualLink),
    isSpokesman: spokesman === node,
  });
}

function findUnmarkedServed(
  { held, loadBalancers }: PassRecord['snapshot'],
  virtualLink: string,
): readonly Ip[] {
  const unmarked = held.filter(({ isOurs, link }) => !isOurs && link === virtualLink);
  if (unmarked.length === 0) return [];
  const served = new Set(loadBalancers.filter(isServed).flatMap(({ grant }) => grant.ingress));
  return unmarked.map(({ ip }) => ip).filter((ip) => served.has(ip));
}

function isServed({ isLoadBalancer, grant, identity }: LoadBalancer): boolean {
  return isLoadBalancer && grant.isOurs && !identity.isDeleting;
}
