/** A scenario's runs as a line for people, and as figures for `--json`. */

import type { RunFigures } from '../lab/failover/measure-run.ts';
import type { Limits, Scenario } from '../lab/failover/scenario.ts';
import type { BenchRow } from './bench-report.ts';
import type { Run } from './failover-runs.ts';
import { quantile } from './quantile.ts';

export const headings = [
  'scenario',
  'runs',
  'measured',
  'outage p50',
  'p99 (ms)',
  'lost, most',
  'TCP broken of 10',
  'two holders (ms)',
  'moves',
  'all moved within (ms)',
  'target',
  'met',
];

interface Figure {
  readonly what: string;
  readonly unit: string;
  /** 1: the worst of all runs. */
  readonly share: number;
  readonly of: (figures: RunFigures) => number;
  readonly target?: (limits: Limits) => number | undefined;
  /** The target in a few words, if it is worth saying. */
  readonly words?: (limit: number) => string;
}

const seconds = (ms: number) => `${ms / 1000} s`;

const told: readonly Figure[] = [
  { what: 'outage p50', unit: 'ms', share: 0.5, of: ({ outageMs }) => outageMs },
  {
    what: 'outage p99',
    unit: 'ms',
    share: 0.99,
    of: ({ outageMs }) => outageMs,
    target: ({ outageMs }) => outageMs,
    words: (limit) => (limit === 0 ? 'no outage' : `outage ≤ ${seconds(limit)}`),
  },
  {
    what: 'most lost',
    unit: '',
    share: 1,
    of: ({ lost }) => lost,
    target: ({ lost }) => lost,
    words: (limit) => (limit === 0 ? '0 lost' : `≤ ${limit} lost`),
  },
  {
    what: 'TCP broken, most of 10',
    unit: '',
    share: 1,
    of: ({ broken }) => broken,
    target: ({ broken }) => broken,
    words: (limit) => (limit === 0 ? '0 broken' : ''),
  },
  {
    what: 'two holders, longest',
    unit: 'ms',
    share: 1,
    of: ({ twoHoldersMs }) => twoHoldersMs,
    target: ({ twoHoldersMs }) => twoHoldersMs,
    words: (limit) => (limit === 0 ? 'never two' : `two ≤ ${seconds(limit)}`),
  },
  {
    what: 'most moves',
    unit: '',
    share: 1,
    of: ({ moves }) => moves,
    target: ({ moves }) => moves,
    words: (limit) => (limit === 0 ? '0 moves' : `≤ ${limit} moves`),
  },
  {
    what: 'first to last address',
    unit: 'ms',
    share: 1,
    of: ({ spreadMs }) => spreadMs,
    target: ({ spreadMs }) => spreadMs,
    words: (limit) => `all within ${seconds(limit)}`,
  },
];

const figureOf = ({ of, share }: Figure, figures: readonly RunFigures[]) =>
  Math.round(quantile(figures.map(of), share));

export function summarize({ name, limits }: Scenario, runs: readonly Run[]): string[] {
  const figures = runs.flat();
  const counts = [runs.length, figures.length].map(String);
  const isReset = limits.broken === undefined;
  const values = told.map((figure) => String(figureOf(figure, figures)));
  const goals = told.flatMap(({ target, words }) => {
    const limit = target?.(limits);
    return limit === undefined ? [] : [words?.(limit) ?? ''];
  });
  const expected = [...goals.filter((text) => text !== ''), ...(isReset ? ['TCP reset'] : [])];
  return [name, ...counts, ...values, expected.join(', '), verdict(limits, figures)];
}

function verdict(limits: Limits, figures: readonly RunFigures[]): string {
  const missed = told.filter((figure) => {
    const limit = figure.target?.(limits);
    return limit !== undefined && figureOf(figure, figures) > limit;
  });
  const isStuck = figures.some(({ moves }) => moves < (limits.leastMoves ?? 0));
  const reasons = [...missed.map(({ what }) => what), ...(isStuck ? ['did not move'] : [])];
  return reasons.length === 0 ? 'yes' : `no: ${reasons.join(', ')}`;
}

export function figureRows({ name, limits }: Scenario, runs: readonly Run[]): readonly BenchRow[] {
  const figures = runs.flat();
  return told.map((figure) => {
    const target = figure.target?.(limits);
    return {
      name: `${name}: ${figure.what}`,
      value: figureOf(figure, figures),
      unit: figure.unit,
      ...(target === undefined ? {} : { target }),
      better: 'lower',
    };
  });
}
