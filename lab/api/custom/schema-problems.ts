/** What is wrong with the schema of a custom resource definition itself. */

import { compileRule } from '../cel/evaluate-rules.ts';
import { type FieldCause, forbiddenField, invalidValue, required } from '../field-cause.ts';
import { isJsonObject, type Json, type JsonObject, listAt, objectAt, textAt } from '../json.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { pruneUnknown } from '../schema/prune.ts';
import { validateValue } from '../schema/validate-value.ts';

export function findSchemaProblems(
  schema: JsonObject,
  path: string,
  isRoot = false,
): readonly FieldCause[] {
  return [
    ...findTypeProblems(schema, path, isRoot),
    ...findRuleProblems(schema, path),
    ...findDefaultProblems(schema, path, isRoot),
    ...findPartProblems(schema, path),
  ];
}

function findTypeProblems(schema: JsonObject, path: string, isRoot: boolean) {
  const type = textAt(schema, 'type');
  if (isRoot && type !== 'object') {
    return [invalidValue(`${path}.type`, type, 'must be object at the root')];
  }
  const isFree =
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (type === '' && !isFree)
    return [required(`${path}.type`, 'must not be empty for specified object fields')];
  const keys = listAt(schema, 'x-kubernetes-list-map-keys');
  if (schema['x-kubernetes-list-type'] === 'map' && keys.length === 0) {
    const detail = 'must not be empty if x-kubernetes-list-type is map';
    return [required(`${path}.x-kubernetes-list-map-keys`, detail)];
  }
  return [];
}

function findRuleProblems(schema: JsonObject, path: string): readonly FieldCause[] {
  return listAt(schema, 'x-kubernetes-validations').flatMap((rule, index) => {
    const place = `${path}.x-kubernetes-validations[${index}]`;
    const text = textAt(rule, 'rule');
    if (text.trim() === '') return [required(`${place}.rule`, 'rule is not specified')];
    return ['rule', 'messageExpression'].flatMap((field) =>
      findExpressionProblem(textAt(rule, field), `${place}.${field}`),
    );
  });
}

function findExpressionProblem(expression: string, path: string): readonly FieldCause[] {
  if (expression === '') return [];
  try {
    compileRule(expression);
    return [];
  } catch (error) {
    const [why = ''] = String((error as Error).message).split('\n');
    return [invalidValue(path, expression, `compilation failed: ${why}`)];
  }
}

function findDefaultProblems(schema: JsonObject, path: string, isRoot: boolean) {
  const value = schema['default'];
  if (value === undefined) return [];
  if (isRoot) return [forbiddenField(`${path}.default`, 'must not be set')];
  const compiled = compileSchema(schema);
  const dropped: string[] = [];
  pruneUnknown(compiled, value, dropped, 'default');
  const unknown = dropped.map((name) =>
    invalidValue(`${path}.default`, value, `must not have unknown fields: ${name}`),
  );
  return [...unknown, ...validateValue(compiled, value, undefined, `${path}.default`)];
}

function findPartProblems(schema: JsonObject, path: string): readonly FieldCause[] {
  const judge = (part: Json | undefined, place: string) =>
    isJsonObject(part) ? findSchemaProblems(part, place) : [];
  return [
    ...Object.entries(objectAt(schema, 'properties')).flatMap(([name, part]) =>
      // The server knows these itself; their schemas may only narrow them.
      isRootMetadata(path, name) ? [] : judge(part, `${path}.properties[${name}]`),
    ),
    ...judge(schema['items'], `${path}.items`),
    ...judge(schema['additionalProperties'], `${path}.additionalProperties`),
  ];
}

function isRootMetadata(path: string, name: string): boolean {
  return path.endsWith('openAPIV3Schema') && name === 'metadata';
}
