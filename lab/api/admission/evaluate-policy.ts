/** One policy on one request: what it has against it, if anything. */

import { toCelValue } from '../cel/cel-value.ts';
import { Authorizer, type MayDo, policyEnvironment } from '../cel/policy-environment.ts';
import { type Json, type JsonObject, listAt, textAt } from '../json.ts';

export interface PolicyInput {
  readonly request: JsonObject;
  readonly object: Json;
  readonly oldObject: Json;
  readonly mayDo: MayDo;
}

export interface Objection {
  readonly message: string;
  readonly reason: string;
}

type Context = Readonly<Record<string, unknown>>;
type Compiled = (context: Record<string, unknown>) => unknown;

const compiled = new Map<string, Compiled>();

function run(expression: string, context: Context): unknown {
  const known = compiled.get(expression) ?? policyEnvironment().parse(expression);
  compiled.set(expression, known);
  return known({ ...context });
}

/** Undefined where it has nothing against it, or is not about such a request. */
export function evaluatePolicy(spec: JsonObject, input: PolicyInput): Objection | undefined {
  const context = contextOf(spec, input);
  try {
    const conditions = listAt(spec, 'matchConditions').map((each) => textAt(each, 'expression'));
    if (!conditions.every((expression) => run(expression, context) === true)) return undefined;
  } catch (error) {
    return failureOf(spec, error);
  }
  for (const validation of listAt(spec, 'validations')) {
    const objection = evaluateOne(spec, validation, context);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

function evaluateOne(spec: JsonObject, validation: Json, context: Context): Objection | undefined {
  const expression = textAt(validation, 'expression');
  try {
    if (run(expression, context) === true) return undefined;
  } catch (error) {
    return failureOf(spec, error);
  }
  const message = messageOf(validation, context);
  return {
    message: message === '' ? `failed expression: ${expression}` : message,
    reason: textAt(validation, 'reason') || 'Invalid',
  };
}

/** An expression that fails or gives no text falls back to the plain message. */
function messageOf(validation: Json, context: Context): string {
  const expression = textAt(validation, 'messageExpression');
  const plain = textAt(validation, 'message').trim();
  if (expression === '') return plain;
  try {
    const text = run(expression, context);
    return typeof text === 'string' && text.trim() !== '' ? text.trim() : plain;
  } catch {
    return plain;
  }
}

function failureOf(spec: JsonObject, error: unknown): Objection | undefined {
  if (textAt(spec, 'failurePolicy') === 'Ignore') return undefined;
  const [why = ''] = String((error as Error).message).split('\n');
  return { message: `an expression resulted in error: ${why}`, reason: 'Invalid' };
}

/** A variable is computed when it is first asked for, and once. */
function contextOf(spec: JsonObject, { request, object, oldObject, mayDo }: PolicyInput): Context {
  const anything = { type: 'any' } as const;
  const variables = {};
  const context = {
    request: toCelValue(anything, request),
    object: toCelValue(anything, object),
    oldObject: toCelValue(anything, oldObject),
    authorizer: new Authorizer(mayDo),
    variables,
  };
  for (const variable of listAt(spec, 'variables')) {
    const name = textAt(variable, 'name');
    let value: { readonly is: unknown } | undefined;
    const get = () => {
      value ??= { is: run(textAt(variable, 'expression'), context) };
      return value.is;
    };
    Object.defineProperty(variables, name, { enumerable: true, get });
  }
  return context;
}
