/** Label selectors as they stand in objects: `matchLabels` and `matchExpressions`. */

import { isJsonObject, type Json, type JsonObject, listAt, objectAt, textAt } from '../json.ts';
import type { Labels } from './label-selector.ts';

/** An empty selector matches everything, an absent one nothing. */
export function matchesSelector(selector: Json | undefined, labels: Labels): boolean {
  if (!isJsonObject(selector)) return false;
  return (
    matchesLabels(objectAt(selector, 'matchLabels'), labels) &&
    (listAt(selector, 'matchExpressions') as JsonObject[]).every((it) => holds(it, labels))
  );
}

export function matchesLabels(wanted: JsonObject, labels: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
}

function holds(expression: JsonObject, labels: Labels): boolean {
  const value = labels?.[textAt(expression, 'key')];
  const values = listAt(expression, 'values');
  switch (textAt(expression, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return Number(value) > Number(values[0]);
    case 'Lt':
      return Number(value) < Number(values[0]);
    default:
      return false;
  }
}
