import { equalJson, isJsonObject, type Json } from '../json.ts';

/** Items that `order` names come in its order; the others stay near where they were in the original list. */
export function orderItems(
  items: readonly Json[],
  order: readonly Json[],
  original: readonly Json[],
  key: string,
): Json[] {
  const identity = (item: Json) => (isJsonObject(item) && key !== '' ? item[key] : item);
  const rankOf = (item: Json) =>
    order.findIndex((other) => equalJson(identity(other), identity(item)));
  const named = items
    .filter((item) => rankOf(item) >= 0)
    .sort((left, right) => rankOf(left) - rankOf(right));
  const others = items.filter((item) => rankOf(item) < 0);
  const placeOf = (item: Json) =>
    original.findIndex((other) => equalJson(identity(other), identity(item)));
  const result: Json[] = [];
  while (named.length > 0 && others.length > 0) {
    const [first, other] = [named[0] as Json, others[0] as Json];
    const next = placeOf(first) < placeOf(other) ? named : others;
    result.push(next.shift() as Json);
  }
  return [...result, ...named, ...others];
}
