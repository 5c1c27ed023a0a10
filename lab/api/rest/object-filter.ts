import type { ApiObject } from '../api-object.ts';
import { parseFieldSelector } from '../selectors/field-selector.ts';
import { parseLabelSelector } from '../selectors/label-selector.ts';
import type { Scope } from './core.ts';

/** Which objects of a collection a list, a watch or a delete is about. */
export interface ObjectFilter {
  /** Start of the keys it can match. */
  readonly prefix: string;
  readonly matches: (object: ApiObject) => boolean;
  readonly hasSelector: boolean;
}

export function readFilter(scope: Scope, query: URLSearchParams): ObjectFilter {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const byLabels = parseLabelSelector(labels);
  const byFields = parseFieldSelector(fields, scope.resource);
  const { name } = scope;
  return {
    prefix: scope.resource.isNamespaced && scope.namespace !== '' ? `${scope.namespace}/` : '',
    hasSelector: labels !== '' || fields !== '',
    matches: (object) =>
      (name === '' || object.metadata.name === name) &&
      byLabels(object.metadata.labels) &&
      byFields.matches(object),
  };
}
