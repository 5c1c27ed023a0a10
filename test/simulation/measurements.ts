/** What a history cost its clients: outages by cause, two holders at a time, moves. */

export interface Outage {
  readonly ip: string;
  readonly ms: number;
  readonly cause: string;
}

export interface Measurements {
  outages: Outage[];
  /** By what came before: how long addresses had two holders. */
  overlaps: Outage[];
  moves: number;
  faults: number;
  /** By kind. */
  injected: Record<string, number>;
  /** Simulated with every frame. */
  fullMs: number;
  /** Jumped over, in calm. */
  elidedMs: number;
}

export function noMeasurements(): Measurements {
  return {
    outages: [],
    overlaps: [],
    moves: 0,
    faults: 0,
    injected: {},
    fullMs: 0,
    elidedMs: 0,
  };
}

export function addMeasurements(sum: Measurements, more: Measurements): void {
  sum.outages.push(...more.outages);
  sum.overlaps.push(...more.overlaps);
  sum.moves += more.moves;
  sum.faults += more.faults;
  sum.fullMs += more.fullMs;
  sum.elidedMs += more.elidedMs;
  for (const [kind, count] of Object.entries(more.injected)) {
    sum.injected[kind] = (sum.injected[kind] ?? 0) + count;
  }
}

export interface Distribution {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function distributionOf(values: readonly number[]): Distribution {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (part: number) =>
    Math.round(sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

export function distributionsByCause(outages: readonly Outage[]): Record<string, Distribution> {
  const byCause = Map.groupBy(outages, ({ cause }) => cause);
  const entries = [...byCause].map(([cause, all]): [string, Distribution] => [
    cause,
    distributionOf(all.map(({ ms }) => ms)),
  ]);
  return Object.fromEntries(entries.sort(([, left], [, right]) => right.count - left.count));
}
