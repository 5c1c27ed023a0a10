export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target?: number;
  readonly better: 'lower' | 'higher';
}

export interface BenchReport {
  row(row: BenchRow): void;
  note(text: string): void;
}

/** For benches that are long; the others take no notice. */
export interface BenchOptions {
  /** How often each scenario is run. */
  readonly runs?: number;
  /** Scenarios with this in their name. */
  readonly only?: string;
  /** Keeps each run in this file, and goes on from those that it holds. */
  readonly into?: string;
  readonly isLong: boolean;
}

export interface Bench {
  readonly name: string;
  readonly description: string;
  /** Outside the sandbox, before it is entered: brings what must come over the network. */
  prepare?(log: (line: string) => void): Promise<void>;
  run(report: BenchReport, options: BenchOptions): Promise<void>;
}

/** Whether the target was met; undefined for a figure without one. */
export function isMet({ value, target, better }: BenchRow): boolean | undefined {
  if (target === undefined) return undefined;
  return better === 'lower' ? value <= target : value >= target;
}

export function renderTable(rows: readonly BenchRow[]): string {
  const cells = rows.map((row) => [row.name, formatNumber(row.value), row.unit, formatTarget(row)]);
  const table = [['what', 'value', 'unit', 'target'], ...cells];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...table.map((line) => line[column]?.length ?? 0)),
  );
  return table
    .map((line) =>
      line
        .map((cell, column) =>
          column === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function renderJson(bench: string, rows: readonly BenchRow[]): string {
  const withVerdict = rows.map((row) => ({
    name: row.name,
    value: row.value,
    unit: row.unit,
    target: row.target ?? null,
    better: row.better,
    ok: isMet(row) ?? null,
  }));
  return JSON.stringify({ bench, rows: withVerdict });
}

function formatNumber(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

function formatTarget(row: BenchRow): string {
  if (row.target === undefined) return '';
  const sign = row.better === 'lower' ? '≤' : '≥';
  return `${sign} ${formatNumber(row.target)} ${isMet(row) ? '✓' : '✗ missed'}`;
}
