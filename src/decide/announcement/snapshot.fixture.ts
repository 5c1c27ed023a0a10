/** A node of a small cluster, with whatever a test changes about it. */

import type { LocalConfig } from '../../model/agent-config.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Member } from '../../model/member.ts';
import { isProblem } from '../../model/parsed.ts';
import type { Pool } from '../../model/pool.ts';
import { readAgentOffer } from '../../model/read-agent-offer.ts';
import { noHandovers } from '../failover/handover-view.ts';
import type { AddressDecision } from './address-decision.ts';
import { clusterNode, electorateOf, member } from './cluster.fixture.ts';
import type { ElectorateFacts } from './electorate.ts';
import { collectIdentities } from './identities.ts';
import { held, link, route } from './node.fixture.ts';
import type { NodeSnapshot } from './node-snapshot.ts';
import { type Placing, placeAddresses } from './place-addresses.ts';
import { localGroup, remoteGroup } from './pool.fixture.ts';
import { settleEndpoints } from './settle-endpoints.ts';
import { type KernelView, surveyLinks } from './survey-links.ts';
import { linkOfNode } from './wire.fixture.ts';

export const eth0 = link('eth0', { index: 2 });
export const kubeLb0 = link('kube-lb0', { index: 4, kind: 'dummy', isNoArp: true });

export const usualKernel: KernelView = {
  links: [eth0, kubeLb0],
  addresses: [held(eth0, '192.0.2.1/24'), held(eth0, '2001:db8::1/64')],
  routes: [route(eth0, 'default via 192.0.2.254'), route(eth0, 'default via fe80::99')],
};

export function configOf(local: object = {}): LocalConfig {
  const offer = readAgentOffer({ metadata: { name: 'default' }, spec: { local } });
  if (isProblem(offer.local) || offer.local.value === undefined) throw new TypeError('no config');
  return offer.local.value;
}

export interface SnapshotSpec {
  readonly services?: readonly LoadBalancer[];
  readonly pools?: readonly Pool[];
  /** The first is this node. */
  readonly nodes?: readonly string[];
  readonly electorate?: Partial<ElectorateFacts>;
  readonly kernel?: Partial<KernelView>;
  /** `{ 'shop/web': 'a b' }`, or by family: `'shop/web ipv6'`; null: not known. */
  readonly endpoints?: Readonly<Record<string, string>> | null;
  readonly config?: LocalConfig | undefined;
  readonly health?: 'ready' | 'noCarrier';
  readonly wire?: Partial<NodeSnapshot['wire']>;
  readonly more?: Partial<NodeSnapshot>;
}

const usual: Required<SnapshotSpec> = {
  services: [],
  pools: [localGroup, remoteGroup],
  nodes: ['a', 'b', 'c'],
  electorate: {},
  kernel: {},
  endpoints: {},
  config: configOf(),
  health: 'ready',
  wire: {},
  more: {},
};

/** Nothing speaks against relying on itself. */
export const calm: NodeSnapshot['self'] = {
  doubts: new Map(),
  verifiedAt: new Map(),
  contestedSince: new Map(),
  yieldedAt: new Map(),
  confirmedAt: -Infinity,
  isBlind: false,
  isLapsed: false,
  promise: undefined,
  isStale: false,
};

export const now = 1_000_000;
export const wallNow = Date.parse('2026-06-01T12:00:00Z');

const nothingSaid: Omit<NodeSnapshot['wire'], 'identities'> = {
  looks: new Map(),
  claims: new Map(),
  announced: new Map(),
  denied: new Map(),
  signers: new Set(),
  affirmed: new Map(),
  admitted: new Map(),
  unanswered: new Map(),
  askedBy: new Map(),
  silent: new Map(),
  absences: [],
  orphans: new Map(),
  seen: new Map(),
  passedOver: new Map(),
  proxies: new Set(),
  conflicts: new Map(),
};

export function snapshotOf(given: SnapshotSpec = {}): NodeSnapshot {
  const spec = { ...usual, ...given };
  const { nodes, config } = spec;
  const me = spec.electorate.me ?? nodes[0] ?? '';
  const kernel = { ...usualKernel, ...spec.kernel };
  const members = nodes.map((node): Member => member(node, { links: [linkOfNode(node)] }));
  const health = new Map((kernel.links ?? []).map(({ index }) => [index, spec.health]));
  return {
    node: me,
    config,
    loadBalancers: spec.services,
    pools: spec.pools,
    electorate: electorateOf(nodes, { members, ...spec.electorate }),
    survey: surveyLinks(kernel, {
      choice: config?.links ?? { pattern: undefined, names: [] },
      dummyLink: config?.dummyLink ?? 'kube-lb0',
      health,
    }),
    held: kernel.addresses ?? [],
    endpoints: spec.endpoints === null ? undefined : endpointsOf(spec.endpoints),
    protectedPrefixes: [],
    forwarding: undefined,
    wire: {
      ...nothingSaid,
      identities: collectIdentities(me, [linkOfNode(me)], members),
      ...spec.wire,
    },
    handovers: noHandovers,
    areRoutesLeaving: false,
    self: calm,
    lastWords: new Map(),
    copies: new Map(),
    unmarked: [],
    recorded: new Map(),
    reports: new Map(),
    quarantine: new Map(),
    now,
    wallNow,
    ...spec.more,
  };
}

function endpointsOf(spec: Readonly<Record<string, string>>) {
  const current = Object.entries(spec).flatMap(([service, text]) => {
    const nodes: ReadonlySet<string> = new Set(text.split(' ').filter((name) => name !== ''));
    return / ipv[46]$/.test(service)
      ? [[service, nodes] as const]
      : [[`${service} ipv4`, nodes] as const, [`${service} ipv6`, nodes] as const];
  });
  return settleEndpoints(new Map(current), undefined, 0);
}

/** `192.0.2.100: local eth0/24 (electionWon)`. */
export function describeDecision({ ip, outcome, reason }: AddressDecision): string {
  const where = 'wanted' in outcome ? ` ${outcome.wanted.link}/${outcome.wanted.prefixLength}` : '';
  return `${ip}: ${outcome.kind}${where} (${reason})`;
}

export function place(spec: SnapshotSpec): Placing {
  return placeAddresses(snapshotOf(spec));
}

export function placed(spec: SnapshotSpec): readonly string[] {
  return place(spec).decisions.map(describeDecision);
}

export const excluded = (...names: readonly string[]): Partial<ElectorateFacts> => ({
  nodes: ['a', 'b', 'c'].map((name) => clusterNode(name, { isExcluded: names.includes(name) })),
});
