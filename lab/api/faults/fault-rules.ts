import type { Fault, FaultMatch, FaultRule } from './fault.ts';

/** What a request looks like to a rule. */
export interface RequestSummary {
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface FaultHandle {
  readonly rule: FaultRule;
  /** How many requests it has hit. */
  readonly hits: number;
  remove(): void;
}

class ActiveRule implements FaultHandle {
  readonly rule: FaultRule;
  readonly #onRemove: (rule: ActiveRule) => void;
  hits = 0;
  #seen = 0;

  constructor(rule: FaultRule, onRemove: (rule: ActiveRule) => void) {
    this.rule = rule;
    this.#onRemove = onRemove;
  }

  /** Counts the request, and says whether the fault happens to it. */
  strikes(summary: RequestSummary, random: () => number): boolean {
    const { match = {}, after = 0, times = Number.POSITIVE_INFINITY, probability = 1 } = this.rule;
    if (!matches(match, summary)) return false;
    this.#seen += 1;
    if (this.#seen <= after || this.hits >= times) return false;
    if (probability < 1 && random() >= probability) return false;
    this.hits += 1;
    return true;
  }

  remove(): void {
    this.#onRemove(this);
  }
}

export function matches(match: FaultMatch, summary: RequestSummary): boolean {
  return Object.entries(match).every(
    ([field, wanted]) => wanted === undefined || summary[field as keyof FaultMatch] === wanted,
  );
}

/** The rules in force, in the order in which they were added. */
export class FaultRules {
  readonly #random: () => number;
  #rules: ActiveRule[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  add(rule: FaultRule): FaultHandle {
    const active = new ActiveRule(rule, (gone) => {
      this.#rules = this.#rules.filter((other) => other !== gone);
    });
    this.#rules.push(active);
    return active;
  }

  clear(): void {
    this.#rules = [];
  }

  all(): readonly FaultHandle[] {
    return this.#rules;
  }

  /** Delays add up; of the other faults the first one happens. */
  strike(summary: RequestSummary): { readonly delayMs: number; readonly fault: Fault | undefined } {
    let delayMs = 0;
    for (const active of this.#rules) {
      if (!active.strikes(summary, this.#random)) continue;
      const { fault } = active.rule;
      if (fault.kind !== 'latency') return { delayMs, fault };
      delayMs += fault.ms;
    }
    return { delayMs, fault: undefined };
  }
}
