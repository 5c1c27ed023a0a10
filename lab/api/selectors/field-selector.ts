/** Field selectors as in a query: `metadata.name=a,spec.nodeName!=b`. Each kind says which fields it knows. */

import { badRequest } from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import { type Json, valueAt } from '../json.ts';
import type { Resource } from '../resource.ts';

export interface FieldSelector {
  readonly matches: (object: ApiObject) => boolean;
  /** When it asks for one name. */
  readonly name?: string;
}

interface Requirement {
  readonly field: string;
  readonly value: string;
  readonly isEqual: boolean;
}

export function parseFieldSelector(text: string, resource: Resource): FieldSelector {
  const requirements = splitTerms(text).map(parseTerm);
  for (const { field } of requirements) checkField(field, resource);
  const name = requirements.find(({ field, isEqual }) => isEqual && field === 'metadata.name');
  return {
    matches: (object) =>
      requirements.every(
        ({ field, value, isEqual }) => (fieldText(object, field) === value) === isEqual,
      ),
    ...(name === undefined ? {} : { name: name.value }),
  };
}

function splitTerms(text: string): readonly string[] {
  // A comma in a value is written `\,`.
  return text.split(/(?<!\\),/).filter((term) => term !== '');
}

function parseTerm(term: string): Requirement {
  const match = /^(.*?)(!=|==|=)(.*)$/.exec(term);
  if (match === null) {
    throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  }
  const [, field = '', operator, value = ''] = match;
  const unescaped = value.replaceAll(/\\([,=\\])/g, '$1');
  return { field, value: unescaped, isEqual: operator !== '!=' };
}

function checkField(field: string, { selectableFields }: Resource): void {
  if (field === 'metadata.name' || field === 'metadata.namespace') return;
  if (selectableFields?.includes(field) === true) return;
  throw badRequest(
    selectableFields === undefined
      ? `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${field}`,
  );
}

const falseWhenAbsent = new Set(['spec.unschedulable', 'spec.hostNetwork']);

function fieldText(object: ApiObject, field: string): string {
  // An event's source is a struct; its component is meant.
  const path = field === 'source' ? 'source.component' : field;
  const value: Json | undefined = valueAt(object, ...path.split('.'));
  if (value === undefined || value === null) return falseWhenAbsent.has(field) ? 'false' : '';
  return String(value);
}
