import { type FieldCause, invalidValue } from '../field-cause.ts';
import type { Json } from '../json.ts';
import type { Schema } from './schema.ts';

type Validate = (
  schema: Schema,
  value: Json,
  old: Json | undefined,
  path: string,
) => readonly FieldCause[];

/** allOf, anyOf, oneOf and not. */
export function validateCombined(
  { constraints }: Schema,
  value: Json,
  path: string,
  validate: Validate,
): readonly FieldCause[] {
  if (constraints === undefined) return [];
  const { allOf = [], anyOf, oneOf, not } = constraints;
  const judge = (schema: Schema) => validate(schema, value, undefined, path);
  const say = (detail: string) => invalidValue('<nil>', '', `"${path}" must ${detail}`);
  return [
    ...allOf.flatMap(judge),
    ...(anyOf === undefined ? [] : judgeAny(anyOf.map(judge), say)),
    ...(oneOf === undefined ? [] : judgeOne(oneOf.map(judge), say)),
    ...(not !== undefined && judge(not).length === 0 ? [say('not validate the schema (not)')] : []),
  ];
}

type Verdicts = readonly (readonly FieldCause[])[];
type Say = (detail: string) => FieldCause;

function judgeAny(verdicts: Verdicts, say: Say): readonly FieldCause[] {
  if (verdicts.some((causes) => causes.length === 0)) return [];
  return [say('validate at least one schema (anyOf)'), ...closest(verdicts)];
}

function judgeOne(verdicts: Verdicts, say: Say): readonly FieldCause[] {
  const valid = verdicts.filter((causes) => causes.length === 0).length;
  if (valid === 1) return [];
  const found = valid === 0 ? 'none valid' : `${valid} valid alternatives`;
  const verdict = say(`validate one and only one schema (oneOf). Found ${found}`);
  return valid === 0 ? [verdict, ...closest(verdicts)] : [verdict];
}

/** What the best alternative lacks. */
function closest(verdicts: Verdicts): readonly FieldCause[] {
  return verdicts.toSorted((left, right) => left.length - right.length)[0] ?? [];
}
