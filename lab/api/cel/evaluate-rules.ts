import { Optional } from '@marcbachmann/cel-js';
import type { FieldCause } from '../field-cause.ts';
import { equalJson, isJsonObject, type Json } from '../json.ts';
import type { Rule } from '../schema/constraints.ts';
import type { Schema } from '../schema/schema.ts';
import { oldItem } from '../schema/validate-value.ts';
import { toCelValue } from './cel-value.ts';
import { celEnvironment } from './environment.ts';

/** Evaluates `x-kubernetes-validations` of a value and of everything in it. */
export function evaluateRules(
  schema: Schema,
  value: Json,
  old: Json | undefined,
  path: string,
): readonly FieldCause[] {
  // What an update leaves as it was is not judged again.
  if (value === null || (old !== undefined && equalJson(value, old))) return [];
  const rules = schema.constraints?.rules ?? [];
  return [
    ...rules.flatMap((rule) => evaluateRule(rule, schema, { value, old, path })),
    ...evaluateParts(schema, value, old, path),
  ];
}

function evaluateParts(
  schema: Schema,
  value: Json,
  old: Json | undefined,
  path: string,
): readonly FieldCause[] {
  if (Array.isArray(value)) {
    const items = schema.items ?? { type: 'any' };
    return value.flatMap((item, index) =>
      evaluateRules(items, item, oldItem(schema, item, old), `${path}[${index}]`),
    );
  }
  if (!isJsonObject(value)) return [];
  const before = isJsonObject(old) ? old : {};
  return Object.entries(value).flatMap(([name, part]) => {
    const field = schema.fields?.get(name)?.schema;
    const inner = field ?? schema.values;
    if (inner === undefined || part === undefined) return [];
    const place = field === undefined ? `${path}[${name}]` : join(path, name);
    return evaluateRules(inner, part, before[name], place);
  });
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

interface Subject {
  readonly value: Json;
  readonly old: Json | undefined;
  readonly path: string;
}

type Compiled = (context: Record<string, unknown>) => unknown;

const compiled = new Map<string, Compiled>();

export function compileRule(expression: string, optionalOldSelf = false): Compiled {
  const key = `${optionalOldSelf} ${expression}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const environment = celEnvironment(optionalOldSelf ? 'optional<dyn>' : 'dyn');
  const made: Compiled = environment.parse(expression);
  compiled.set(key, made);
  return made;
}

function evaluateRule(
  rule: Rule,
  schema: Schema,
  { value, old, path }: Subject,
): readonly FieldCause[] {
  const isTransition = /\boldSelf\b/.test(rule.rule);
  if (isTransition && old === undefined && rule.optionalOldSelf !== true) return [];
  const context = {
    self: toCelValue(schema, value),
    oldSelf: oldValue(rule, schema, old),
  };
  try {
    if (compileRule(rule.rule, rule.optionalOldSelf)(context) === true) return [];
    return [failure(rule, path, shown(rule, value) + messageOf(rule, context))];
  } catch (error) {
    const [why = ''] = String((error as Error).message).split('\n');
    return [
      failure({ rule: rule.rule }, path, `${why} evaluating rule: ${rule.message ?? rule.rule}`),
    ];
  }
}

function oldValue({ optionalOldSelf }: Rule, schema: Schema, old: Json | undefined): unknown {
  const value = old === undefined ? undefined : toCelValue(schema, old);
  if (optionalOldSelf !== true) return value ?? null;
  return value === undefined ? Optional.none() : Optional.of(value);
}

/** A single value is shown before the message, an object is not. */
function shown({ reason = 'FieldValueInvalid', fieldPath }: Rule, value: Json): string {
  const isSingle = typeof value !== 'object' && reason === 'FieldValueInvalid';
  return isSingle && fieldPath === undefined ? `${JSON.stringify(value)}: ` : '';
}

/** An expression that fails or gives no text falls back to the plain message. */
function messageOf(rule: Rule, context: Record<string, unknown>): string {
  const plain = rule.message ?? `failed rule: ${rule.rule.trim()}`;
  if (rule.messageExpression === undefined) return plain;
  try {
    const text = compileRule(rule.messageExpression, rule.optionalOldSelf)(context);
    const isUsable = typeof text === 'string' && text.trim() !== '' && !text.includes('\n');
    return isUsable ? text.trim() : plain;
  } catch {
    return plain;
  }
}

const prefixes: Readonly<Record<string, string>> = {
  FieldValueForbidden: 'Forbidden',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
};

function failure(rule: Rule, path: string, text: string): FieldCause {
  const reason = rule.reason ?? 'FieldValueInvalid';
  const place = `${path}${rule.fieldPath ?? ''}`.replace(/^\./, '');
  return {
    reason,
    field: place === '' ? '<nil>' : place,
    message: `${prefixes[reason] ?? 'Invalid value'}: ${text}`,
  };
}
