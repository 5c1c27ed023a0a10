/** What is to happen in a history: drawn from a seed before anything runs, so that parts can be left out. */

import { Chance } from './chance.ts';
import {
  attacks,
  drawDuration,
  type FaultKind,
  isolation,
  longDuration,
  themes,
} from './fault-kinds.ts';

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
  /** Who is cut off from the others is cut off from the API server too. */
  readonly apiInBand: boolean;
  /** A router that answers for every address. */
  readonly proxyArp: boolean;
  /** Kernels keep addresses for a minute without an agent, in place of five. */
  readonly shortLifetimes: boolean;
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
  /** Of each burst; drawn if left out. */
  readonly pace?: keyof typeof paces;
}

/** How many faults a burst has, one in so many ms, and how long they last at most. */
const paces = {
  /** One at a time: nothing excuses a slow answer. */
  single: { faults: [1, 3], everyMs: 30_000, mostMs: 20_000 },
  several: { faults: [2, 16], everyMs: 4_000, mostMs: 20_000 },
  /** Many small ones, each while others are being digested. */
  dense: { faults: [40, 80], everyMs: 1_200, mostMs: 6_000 },
} as const;

type Pace = keyof typeof paces;
/** By a draw of its own: what else a seed stands for does not depend on it. */
const proxyDraw = 7_919;
const isolationDraw = 104_729;
const attackDraw = 15_485_863;

const paceOdds: readonly Pace[] = ['single', 'several', 'dense', 'dense', 'dense', 'dense'];

export function planHistory({ seed, bursts, calmHours, pace }: PlanOptions): HistoryPlan {
  const chance = new Chance(seed);
  const traits = { ...drawTraits(chance, seed), apiInBand: seed % 2 === 0 };
  const isolated = new Chance(seed * isolationDraw);
  const attacked = new Chance(seed * attackDraw);
  const draw = () => {
    const theme = isolated.isOneIn(4) ? isolation : undefined;
    const faults = drawFaults(chance, traits, pace ?? chance.pick(paceOdds), theme);
    const all = [...faults, ...drawAttacks(attacked, traits, faults)];
    return { faults: all, calmMs: Math.round(calmHours * 36_000 * chance.between(20, 180)) };
  };
  return { seed, traits, bursts: Array.from({ length: bursts }, draw) };
}

function drawTraits(chance: Chance, seed: number): Omit<Traits, 'apiInBand'> {
  return {
    nodes: chance.pick([3, 3, 4, 4, 5, 6]),
    zones: chance.isOneIn(2),
    suppression: chance.isOneIn(5),
    secondNic: chance.isOneIn(5),
    ipvs: chance.isOneIn(6),
    proxyArp: new Chance(seed * proxyDraw).isOneIn(6),
    shortLifetimes: chance.isOneIn(2),
  };
}

function drawFaults(
  chance: Chance,
  traits: Traits,
  pace: Pace,
  theme: readonly FaultKind[] | undefined,
): readonly PlannedFault[] {
  const { faults, everyMs } = paces[pace];
  const drawn = chance.pick(themes);
  const kinds = theme ?? drawn;
  const [least, most] = faults;
  return Array.from({ length: chance.between(least, most) }, (_, index) => {
    const kind = chance.pick(kinds);
    const node = chance.between(1, traits.nodes);
    const at = index * everyMs + chance.below(everyMs);
    const lastsMs = drawLength(chance, kind, traits, pace);
    return { kind, node, at, lastsMs, dice: chance.below(2 ** 31) };
  });
}

/** In some bursts, while its faults happen. */
function drawAttacks(
  chance: Chance,
  { nodes }: Traits,
  faults: readonly PlannedFault[],
): readonly PlannedFault[] {
  if (!chance.isOneIn(8)) return [];
  const lastAt = Math.max(...faults.map(({ at }) => at));
  return Array.from({ length: chance.between(1, 3) }, () => {
    const kind = chance.pick(attacks);
    const at = chance.below(lastAt + 1);
    const lastsMs = chance.between(2_000, 20_000);
    return { kind, node: chance.between(1, nodes), at, lastsMs, dice: chance.below(2 ** 31) };
  });
}

/** A long one among many short ones would leave nothing to do for minutes. */
function drawLength(chance: Chance, kind: FaultKind, traits: Traits, pace: Pace): number {
  const long = longDuration(kind, traits.shortLifetimes ? 60_000 : 300_000);
  const isLong = chance.isOneIn(25) && (pace !== 'dense' || traits.shortLifetimes);
  return isLong && long !== undefined ? long : drawDuration(chance, kind, paces[pace].mostMs);
}

/** As campaigns run them: a seed alone names a history. */
export function planSeed(seed: number): HistoryPlan {
  return planHistory({ seed, bursts: 4, calmHours: 1.8 });
}
