/** What is to happen in a history: drawn from a seed before anything runs, so that parts can be left out. */

import { Chance } from './chance.ts';

export const faultKinds = [
  'power-loss',
  'reboot',
  'port-cut',
  'cable-pulled',
  'partition',
  'agent-killed',
  'agent-restarted',
  'agent-stopped',
  'agent-crash-loop',
  'agent-frozen',
  'rolling-restart',
  'vm-stun',
  'clock-skew',
  'api-away',
  'api-slow',
  'api-500',
  'watches-cut',
  'api-stale',
  'lease-refused',
  'excluded',
  'service-created',
  'frame-loss',
  'frame-copies',
  'frame-delay',
  'arp-limit',
  'kernel-unreadable',
  'address-removed',
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface PlannedFault {
  readonly kind: FaultKind;
  /** Of the nodes, counted from 1; others are chosen from it. */
  readonly node: number;
  /** In ms after its burst began. */
  readonly at: number;
  readonly lastsMs: number;
  /** For what else is left to chance. */
  readonly dice: number;
}

export interface Burst {
  readonly faults: readonly PlannedFault[];
  /** How long nothing happens afterwards, once all is well again. */
  readonly calmMs: number;
}

/** What the cluster and its network are like, for the whole history. */
export interface Traits {
  readonly nodes: number;
  readonly zones: boolean;
  /** Of an EVPN. */
  readonly suppression: boolean;
  /** A second NIC on the same segment, which answers for what is on the first. */
  readonly secondNic: boolean;
  /** Every address also on a link that is down, as kube-proxy in IPVS mode has them. */
  readonly ipvs: boolean;
  /** A router that answers for every address. */
  readonly proxyArp: boolean;
}

export interface HistoryPlan {
  readonly seed: number;
  readonly traits: Traits;
  readonly bursts: readonly Burst[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly bursts: number;
  /** On average, in hours. */
  readonly calmHours: number;
}

export function planHistory({ seed, bursts, calmHours }: PlanOptions): HistoryPlan {
  const chance = new Chance(seed);
  const traits = drawTraits(chance);
  const draw = () => drawBurst(chance, traits.nodes, calmHours * 3_600_000);
  return { seed, traits, bursts: Array.from({ length: bursts }, draw) };
}

function drawTraits(chance: Chance): Traits {
  return {
    nodes: chance.between(3, 6),
    zones: chance.isOneIn(2),
    suppression: chance.isOneIn(5),
    secondNic: chance.isOneIn(5),
    ipvs: chance.isOneIn(6),
    proxyArp: false,
  };
}

function drawBurst(chance: Chance, nodes: number, calmMs: number): Burst {
  const count = chance.between(2, 16);
  const faults = Array.from({ length: count }, (_, index) => drawFault(chance, nodes, index));
  return { faults, calmMs: Math.round((calmMs * chance.between(20, 180)) / 100) };
}

/** On average one every four seconds, which overlap. */
function drawFault(chance: Chance, nodes: number, index: number): PlannedFault {
  const kind = chance.pick(faultKinds);
  const [least, most] = durations[kind] ?? [1_000, 20_000];
  const isLong = longer[kind] !== undefined && chance.isOneIn(25);
  return {
    kind,
    node: chance.between(1, nodes),
    at: index * 4_000 + chance.below(4_000),
    lastsMs: isLong ? (longer[kind] ?? 0) : chance.between(least, most),
    dice: chance.below(2 ** 31),
  };
}

const durations: Readonly<Partial<Record<FaultKind, readonly [number, number]>>> = {
  reboot: [2_000, 6_000],
  'agent-restarted': [200, 3_000],
  'agent-stopped': [2_500, 8_000],
  'rolling-restart': [3_000, 3_000],
  'vm-stun': [200, 4_000],
  'watches-cut': [0, 0],
  'address-removed': [0, 0],
  'kernel-unreadable': [500, 5_000],
};

/** Beyond a kernel's lifetime, or beyond every deadline. */
const longer: Readonly<Partial<Record<FaultKind, number>>> = {
  'agent-frozen': 320_000,
  'agent-killed': 320_000,
  'api-away': 120_000,
};

/** As campaigns run them: a seed alone names a history. */
export function planSeed(seed: number): HistoryPlan {
  return planHistory({ seed, bursts: 4, calmHours: 0.5 });
}
