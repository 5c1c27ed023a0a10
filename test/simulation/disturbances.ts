/** What was wrong when: how much may be asked of a cluster depends on it. Times are ms on the world's clock. */

import type { FaultKind } from './fault-kinds.ts';
import type { SimulatedNode } from './simulated-node.ts';

export interface Disturbance {
  readonly kind: FaultKind;
  readonly nodes: readonly SimulatedNode[];
  readonly from: number;
  /** `Infinity` while it lasts. */
  to: number;
}

const apiKinds: ReadonlySet<FaultKind> = new Set([
  'api-away',
  'api-slow',
  'api-500',
  'api-stale',
  'watches-cut',
]);

const frameKinds: ReadonlySet<FaultKind> = new Set(['frame-loss', 'frame-delay', 'arp-limit']);

/** Some nodes cannot reach the API server, and the others can. */
const lostApiKinds: ReadonlySet<FaultKind> = new Set([
  'api-lost',
  'api-lost-restart',
  'api-lost-by-some',
  'api-lost-reboot',
]);

/** After these a node may hold what another has taken: it was cut off, or did not run. */
const partingKinds: ReadonlySet<FaultKind> = new Set([
  'port-cut',
  'cable-pulled',
  'partition',
  'vm-stun',
  'kernel-unreadable',
]);

/** These change nothing that a failover depends on. */
const harmlessKinds: ReadonlySet<FaultKind> = new Set([
  'clock-skew',
  'service-created',
  'frame-copies',
  'forged-frames',
  'tenant-forges',
  'watches-cut',
]);

export class Disturbances {
  readonly all: Disturbance[] = [];

  begin(kind: FaultKind, nodes: readonly SimulatedNode[], from: number): Disturbance {
    const disturbance = { kind, nodes, from, to: Infinity };
    this.all.push(disturbance);
    return disturbance;
  }

  get isCalm(): boolean {
    return this.all.every(({ to }) => to !== Infinity);
  }

  /** Whether one of the kind lasts, of the node if one is given. */
  isActive(kind: FaultKind, node?: SimulatedNode): boolean {
    return this.all.some(
      (each) =>
        each.kind === kind &&
        each.to === Infinity &&
        (node === undefined || each.nodes.includes(node)),
    );
  }

  /** Those that lasted into the time since then; `now` is in it. */
  since(time: number): readonly Disturbance[] {
    return this.all.filter(({ to }) => to >= time);
  }

  /** When the API server was last out of order: now, if it is. */
  apiTroubleUntil(now: number): number {
    return lastEnd(
      this.all.filter(({ kind }) => apiKinds.has(kind)),
      now,
    );
  }

  framesTroubleUntil(now: number): number {
    return lastEnd(
      this.all.filter(({ kind }) => frameKinds.has(kind)),
      now,
    );
  }

  /** When the last agent of these nodes that stood still ran again. */
  frozenUntil(nodes: readonly SimulatedNode[], now: number): number {
    const frozen = this.all.filter(
      ({ kind, nodes: hit }) => kind === 'agent-frozen' && hit.some((node) => nodes.includes(node)),
    );
    return lastEnd(frozen, now);
  }

  /** When one of the nodes could last not reach the API server, while others could. */
  lostApiUntil(nodes: readonly SimulatedNode[], now: number): number {
    const lost = this.all.filter(
      (each) => lostApiKinds.has(each.kind) && each.nodes.some((node) => nodes.includes(node)),
    );
    return lastEnd(lost, now);
  }

  /** When one of the nodes last had an address that PureLB did not put there. */
  copiedUntil(nodes: readonly SimulatedNode[], now: number): number {
    const copied = this.all.filter(
      ({ kind, nodes: hit }) =>
        kind === 'unmarked-copy' && hit.some((node) => nodes.includes(node)),
    );
    return lastEnd(copied, now);
  }

  /** When one of the nodes was last parted from the others. */
  partedUntil(nodes: readonly SimulatedNode[], now: number): number {
    const parting = this.all.filter(
      (each) => partingKinds.has(each.kind) && each.nodes.some((node) => nodes.includes(node)),
    );
    return lastEnd(parting, now);
  }

  /** Others than harmless ones that lasted into the time since then. */
  serious(time: number): readonly Disturbance[] {
    return this.since(time).filter(({ kind }) => !harmlessKinds.has(kind));
  }

  /** The kind of what began or ended last before the time. */
  causeOf(time: number): string {
    let cause = 'start';
    let latest = -Infinity;
    for (const { kind, from, to } of this.all) {
      if (from <= time && from > latest) [cause, latest] = [kind, from];
      if (to <= time && to > latest) [cause, latest] = [`${kind}, healed`, to];
    }
    return cause;
  }

  /** What is long over decides nothing any more. */
  forgetBefore(time: number): void {
    const kept = this.all.filter(({ to }) => to >= time);
    this.all.splice(0, this.all.length, ...kept);
  }
}

function lastEnd(disturbances: readonly Disturbance[], now: number): number {
  return Math.max(-Infinity, ...disturbances.map(({ to }) => Math.min(to, now)));
}
