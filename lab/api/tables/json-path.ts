/**
 * The part of Kubernetes' JSONPath that printer columns use: `.spec.a`, `['a']`, `[0]`, `[-1]`, `[*]`,
 * `[?(@.type=="Ready")]`. A path that finds nothing gives nothing.
 */

import { isJsonObject, type Json, valueAt } from '../json.ts';

type Step = (value: Json) => readonly Json[];

const token =
  /\.?([A-Za-z_$][\w$-]*(?:\\\.[\w$-]+)*)|\.?\[\s*(?:'([^']*)'|"([^"]*)"|(-?\d+)|(\*)|\?\(\s*@\.([\w.-]+)\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)"|([\w.-]+))\s*\))\s*\]|\.(\*)/y;

/** Undefined when the text is no path of this kind. */
export function parseJsonPath(text: string): ((value: Json) => readonly Json[]) | undefined {
  const steps: Step[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) return undefined;
    steps.push(stepOf(match));
  }
  return (value) => steps.reduce<readonly Json[]>((found, step) => found.flatMap(step), [value]);
}

function stepOf(match: RegExpExecArray): Step {
  const [, word, single, double, index, all, path, operator, ...values] = match;
  const name = word?.replaceAll('\\.', '.') ?? single ?? double;
  if (name !== undefined) return (value) => present(isJsonObject(value) ? value[name] : undefined);
  if (index !== undefined) return (value) => present(itemsOf(value).at(Number(index)));
  if (path === undefined || all !== undefined) return itemsOf;
  const wanted = values.slice(0, 3).find((it) => it !== undefined);
  return (value) =>
    itemsOf(value).filter((item) => {
      const found = valueAt(item, ...path.split('.'));
      return found !== undefined && (String(found) === wanted) === (operator === '==');
    });
}

function present(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : [value];
}

function itemsOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value).filter((it) => it !== undefined) : [];
}
