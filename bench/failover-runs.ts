/** Runs of scenarios, one JSON line each in a file, so that a measurement can be made in pieces. */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { RunFigures } from '../lab/failover/measure-run.ts';

/** Of each family one. */
export type Run = readonly RunFigures[];

interface KeptRun {
  readonly scenario: string;
  /** When it was over. */
  readonly at: string;
  readonly figures: Run;
}

export class FailoverRuns {
  readonly #file: string | undefined;
  readonly #runs = new Map<string, Run[]>();

  /** Without a file they are kept in memory only. */
  constructor(file?: string) {
    this.#file = file;
    if (file === undefined || !existsSync(file)) return;
    const text = readFileSync(file, 'utf8');
    for (const line of text.split('\n')) {
      const kept = parseRun(line);
      if (kept !== undefined) this.#of(kept.scenario).push(kept.figures);
    }
    if (!text.endsWith('\n')) appendFileSync(file, '\n');
  }

  of(scenario: string): readonly Run[] {
    return this.#of(scenario);
  }

  add(scenario: string, figures: Run): void {
    this.#of(scenario).push(figures);
    if (this.#file === undefined) return;
    const kept: KeptRun = { scenario, at: new Date().toISOString(), figures };
    appendFileSync(this.#file, `${JSON.stringify(kept)}\n`);
  }

  #of(scenario: string): Run[] {
    const runs = this.#runs.get(scenario) ?? [];
    this.#runs.set(scenario, runs);
    return runs;
  }
}

/** Undefined for a line of which only a part was written. */
function parseRun(line: string): KeptRun | undefined {
  try {
    return JSON.parse(line) as KeptRun;
  } catch {
    return undefined;
  }
}
