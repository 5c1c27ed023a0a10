/** Label selectors as Kubernetes has them: which objects are meant, by their labels. */

import type { Cursor } from './cursor.ts';
import type { Labels } from './identity.ts';
import { abbreviate } from './ip.ts';
import { type Parsed, problem } from './parsed.ts';

/** All requirements must hold; a selector without any matches everything. */
export type LabelSelector = readonly LabelRequirement[];

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

export interface LabelRequirement {
  readonly key: string;
  readonly operator: (typeof operators)[number];
  /** For In and NotIn, at least one. */
  readonly values: readonly string[];
}

export function readLabelSelector(cursor: Cursor): LabelSelector {
  const { matchLabels, matchExpressions } = cursor.fields('matchLabels', 'matchExpressions');
  const labels = matchLabels.entries().map(([key, value]): LabelRequirement => {
    value.parse(() => parseKey(key, value.path));
    return { key, operator: 'In', values: [value.parse(parseValue) ?? ''] };
  });
  return [...labels, ...matchExpressions.items().map(readRequirement)];
}

/** As Kubernetes has it: NotIn and DoesNotExist hold for objects without the label. */
export function matchesLabels(selector: LabelSelector, labels: Labels): boolean {
  return selector.every(({ key, operator, values }) => {
    const value = labels.get(key);
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      default:
        return operator satisfies never;
    }
  });
}

function readRequirement(cursor: Cursor): LabelRequirement {
  const at = cursor.fields('key', 'operator', 'values');
  const operator = at.operator.required().oneOf(operators);
  const values = at.values.items().map((value) => value.parse(parseValue) ?? '');
  const needsValues = operator === 'In' || operator === 'NotIn';
  if (needsValues && values.length === 0) at.values.refuse(`${operator} needs at least one value`);
  if (operator !== undefined && !needsValues && values.length > 0) {
    at.values.refuse(`${operator} has no values: remove them, or use In or NotIn`);
  }
  const key = at.key.required().parse(parseKey) ?? '';
  return { key, operator: operator ?? 'Exists', values };
}

const namePart = '[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?';
const keyShape = new RegExp(`^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?${namePart}$`);
const valueShape = new RegExp(`^(${namePart})?$`);

function parseKey(text: string, path: string): Parsed<string> {
  if (keyShape.test(text)) return { value: text };
  return problem(path, `"${abbreviate(text)}" is not a label key such as example.com/rack`);
}

function parseValue(text: string, path: string): Parsed<string> {
  if (valueShape.test(text)) return { value: text };
  return problem(
    path,
    `"${abbreviate(text)}" is not a label value: letters, digits, ".", "_" and "-", 63 at most`,
  );
}
