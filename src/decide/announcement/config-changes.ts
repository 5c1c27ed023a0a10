/** What is different between two configurations of an agent, field by field, for people. */

import type { LocalConfig } from '../../model/agent-config.ts';

export interface FieldChange {
  readonly field: string;
  /** Undefined: it was not set. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** `announcements.scheduleMs: 0, 1000 → 0`. Undefined: no configuration, thus nothing is announced. */
export function findConfigChanges(
  before: LocalConfig | undefined,
  after: LocalConfig | undefined,
): readonly FieldChange[] {
  const [was, is] = [before, after].map((config) => new Map(flatten(config ?? {}, '')));
  const fields = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].sort();
  return fields
    .map((field) => ({ field, before: was?.get(field), after: is?.get(field) }))
    .filter((change) => change.before !== change.after);
}

function flatten(value: object, lead: string): readonly (readonly [string, string])[] {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    if (part === undefined) return [];
    const isGroup = typeof part === 'object' && part !== null && !isLeaf(part);
    return isGroup ? flatten(part, `${lead}${name}.`) : [[`${lead}${name}`, write(part)] as const];
  });
}

function isLeaf(value: object): boolean {
  return Array.isArray(value) || value instanceof RegExp;
}

function write(value: unknown): string {
  if (value === Infinity) return 'forever';
  if (value instanceof RegExp) return value.source;
  return Array.isArray(value) ? value.join(', ') : String(value);
}
