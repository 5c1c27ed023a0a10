import type { ApiObject } from '../api-object.ts';
import { type Json, listAt, textAt, valueAt } from '../json.ts';
import { matchesSelector } from '../selectors/matches-selector.ts';

/** Whether the node is one that the pod insists on; what it would merely like is not looked at. */
export function matchesNode(pod: ApiObject, node: ApiObject): boolean {
  const terms = valueAt(
    pod,
    ...['spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'],
    'nodeSelectorTerms',
  );
  return !Array.isArray(terms) || terms.some((term) => matchesTerm(term, node));
}

function matchesTerm(term: Json, { metadata }: ApiObject): boolean {
  const expressions = listAt(term, 'matchExpressions');
  const fields = listAt(term, 'matchFields');
  if (expressions.length === 0 && fields.length === 0) return false;
  const isNamed = fields.every(
    (field) =>
      textAt(field, 'key') === 'metadata.name' &&
      listAt(field, 'values').includes(metadata.name ?? '') ===
        (textAt(field, 'operator') === 'In'),
  );
  return isNamed && matchesSelector({ matchExpressions: [...expressions] }, metadata.labels);
}
