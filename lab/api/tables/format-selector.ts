/** Label selectors of a specification in the form that a query has them. */

import { type Json, type JsonObject, listAt, objectAt, textAt } from '../json.ts';

/** Empty when everything is selected. */
export function formatSelector(selector: Json | undefined): string {
  const labels = objectAt(selector, 'matchLabels');
  const equal = Object.entries(labels).map(([key, value]) => [key, `${key}=${String(value)}`]);
  const others = listAt(selector, 'matchExpressions').map((expression) => [
    textAt(expression, 'key'),
    formatExpression(expression as JsonObject),
  ]);
  return [...equal, ...others]
    .sort(([left = ''], [right = '']) => (left < right ? -1 : Number(left > right)))
    .map(([, text]) => text)
    .join(',');
}

function formatExpression(expression: JsonObject): string {
  const key = textAt(expression, 'key');
  const values = (listAt(expression, 'values') as string[]).toSorted().join(',');
  switch (textAt(expression, 'operator')) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}
