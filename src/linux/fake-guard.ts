/** A guard that guards nothing, and knows what it would. */

import { formatOpening, type GuardRules, noGuard } from '../model/guard.ts';
import type { Guard, GuardOutcome } from './guard.ts';

/** What a machine has of it: guards of several processes, one after another, share it. */
export class FakeFilter {
  rules: GuardRules = noGuard;
  /** Someone changed what only we may change. */
  isDamaged = false;
  isSupported = true;
}

export class FakeGuard implements Guard {
  readonly filter: FakeFilter;

  constructor(filter = new FakeFilter()) {
    this.filter = filter;
  }

  async apply(rules: GuardRules): Promise<GuardOutcome> {
    const { filter } = this;
    if (!filter.isSupported) return withoutSupport(rules);
    const effective = rules.addresses.length === 0 ? noGuard : rules;
    const isSame = describe(effective) === describe(filter.rules);
    if (isSame && !filter.isDamaged) return { kind: 'unchanged' };
    filter.rules = effective;
    filter.isDamaged = false;
    return { kind: 'changed' };
  }

  close(): void {}
}

function withoutSupport({ addresses }: GuardRules): GuardOutcome {
  if (addresses.length === 0) return { kind: 'unchanged' };
  return { kind: 'failed', code: 'Unsupported', words: 'this kernel has no nf_tables' };
}

function describe({ addresses, openings }: GuardRules): string {
  const sorted = (texts: readonly string[]) => [...new Set(texts)].sort();
  return JSON.stringify([sorted(addresses), sorted(openings.map(formatOpening))]);
}
