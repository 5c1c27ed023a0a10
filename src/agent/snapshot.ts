/** What was watched, read and heard → what this node decides by. */

import { acceptPools } from '../decide/allocation/accept-pools.ts';
import {
  type ConfigChoice,
  chooseAgentConfig,
} from '../decide/announcement/choose-agent-config.ts';
import { prepareElectorate } from '../decide/announcement/electorate.ts';
import type { Identities } from '../decide/announcement/identities.ts';
import { collectIdentities } from '../decide/announcement/identities.ts';
import type { LinkHealth } from '../decide/announcement/judge-links.ts';
import type { Liveness, MemberObservations } from '../decide/announcement/judge-members.ts';
import {
  describeLinks,
  findLocalSubnets,
  type LocalSubnets,
} from '../decide/announcement/local-subnets.ts';
import type { NodeSnapshot, SelfView, WireView } from '../decide/announcement/node-snapshot.ts';
import { collectProtected } from '../decide/announcement/protected-prefixes.ts';
import type { SettledEndpoints } from '../decide/announcement/settle-endpoints.ts';
import {
  type KernelView,
  type LinkSurvey,
  surveyLinks,
} from '../decide/announcement/survey-links.ts';
import { collectCopies, findUnmarked } from '../decide/announcement/unmarked-copies.ts';
import { findLastWords } from '../decide/failover/end-of-lifetime.ts';
import { type HandoverView, viewHandovers } from '../decide/failover/handover-view.ts';
import type { ClusterNode } from '../model/cluster-node.ts';
import { latestByIp } from '../model/conflict.ts';
import type { Ip } from '../model/ip.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import type { Member } from '../model/member.ts';
import type { MemberLinks } from '../model/member-links.ts';
import type { Pool } from '../model/pool.ts';
import type { AgentOffer } from '../model/read-agent-offer.ts';
import type { WatchedObjects } from './watched-objects.ts';

/** What the cluster says, without what this machine says. */
export interface ClusterView {
  readonly loadBalancers: readonly LoadBalancer[];
  readonly pools: readonly Pool[];
  readonly recorded: NodeSnapshot['recorded'];
  readonly quarantine: ReadonlyMap<Ip, number>;
  readonly nodes: readonly ClusterNode[];
  readonly members: readonly Member[];
  readonly offers: readonly AgentOffer[];
  readonly choice: ConfigChoice;
}

type Objects = Pick<WatchedObjects, 'services' | 'groups' | 'offers' | 'nodes' | 'leases'>;

export function viewCluster(objects: Objects, me: string, installNamespace: string): ClusterView {
  const loadBalancers = valuesOf(objects.services);
  const groups = valuesOf(objects.groups);
  const nodes = valuesOf(objects.nodes);
  const offers = valuesOf(objects.offers);
  const labels = nodes.find(({ name }) => name === me)?.labels ?? new Map<string, string>();
  const { pools, recorded } = acceptPools({ groups, services: loadBalancers, installNamespace });
  return {
    loadBalancers,
    pools,
    recorded,
    quarantine: new Map(
      groups.flatMap(({ status }) => status.quarantine.map(({ ip, until }) => [ip, until])),
    ),
    nodes,
    members: valuesOf(objects.leases),
    offers,
    choice: chooseAgentConfig({ name: me, labels }, offers),
  };
}

export function valuesOf<T>(store: { values(): Iterable<{ readonly value: T | undefined }> }): T[] {
  const found: T[] = [];
  for (const { value } of store.values()) if (value !== undefined) found.push(value);
  return found;
}

/** Before a configuration is known. */
export const usualDummyLink = 'kube-lb0';

/** What this machine says, as far as its configuration lets it count. */
export interface MachineView {
  readonly kernel: KernelView;
  readonly survey: LinkSurvey;
  /** Empty without a configuration: a node that announces nothing must not be elected. */
  readonly subnets: LocalSubnets | undefined;
  readonly links: MemberLinks | undefined;
}

export function viewMachine(
  kernel: KernelView,
  { config }: ConfigChoice,
  health: ReadonlyMap<number, LinkHealth>,
): MachineView {
  const survey = surveyLinks(kernel, {
    choice: config?.links ?? { pattern: undefined, names: [] },
    dummyLink: config?.dummyLink ?? usualDummyLink,
    health,
  });
  const subnets = config === undefined ? { ready: [], unready: [] } : findLocalSubnets(survey);
  return { kernel, survey, subnets, links: describeLinks(survey, kernel) };
}

export interface Surroundings {
  readonly node: string;
  readonly cluster: ClusterView;
  readonly machine: MachineView;
  readonly liveness: ReadonlyMap<string, Liveness>;
  readonly endpoints: SettledEndpoints | undefined;
  readonly wire: WireView;
  readonly forwarding: NodeSnapshot['forwarding'];
  /** Of this process. */
  readonly instance: string;
  readonly moves: Pick<HandoverView, 'memory' | 'damped'>;
  /** This agent ends and hands over what it holds. */
  readonly isLeaving: boolean;
  readonly areRoutesLeaving: boolean;
  readonly self: SelfView;
  /** When the members were last heard of. */
  readonly observations: MemberObservations;
  readonly apiServers: readonly Ip[];
  /** What this node could not put on its links. */
  readonly failing: ReadonlySet<Ip>;
  readonly now: number;
  readonly wallNow: number;
}

export function identify(node: string, { members }: ClusterView, machine: MachineView): Identities {
  return collectIdentities(node, machine.links?.links ?? [], members);
}

export function takeSnapshot(facts: Surroundings): NodeSnapshot {
  const { node, cluster, machine, liveness, endpoints, wire, self, apiServers } = facts;
  const { now, wallNow } = facts;
  const { nodes, members } = cluster;
  const unmarked = findUnmarked(machine.kernel, cluster.loadBalancers);
  return {
    node,
    config: cluster.choice.config,
    loadBalancers: cluster.loadBalancers,
    pools: cluster.pools,
    recorded: cluster.recorded,
    electorate: prepareElectorate({
      me: node,
      members,
      liveness,
      nodes,
      mySubnets: machine.subnets?.ready ?? [],
      myUnreadySubnets: machine.subnets?.unready ?? [],
      myFailing: facts.failing,
      isLeaving: facts.isLeaving,
    }),
    survey: machine.survey,
    held: machine.kernel.addresses ?? [],
    endpoints,
    protectedPrefixes: collectProtected({ nodes, members, kernel: machine.kernel, apiServers }),
    wire,
    forwarding: facts.forwarding,
    unmarked,
    copies: collectCopies(node, unmarked, members, liveness),
    areRoutesLeaving: facts.areRoutesLeaving,
    handovers: {
      ...viewHandovers({ me: node, instance: facts.instance, members, liveness }),
      ...facts.moves,
    },
    self,
    lastWords: findLastWords(members, liveness, facts.observations),
    reports: latestByIp(members.flatMap(({ conflicts }) => conflicts)),
    quarantine: cluster.quarantine,
    now,
    wallNow,
  };
}
