/**
 * A set of places in an object: what a manager of fields owns. Written as in `metadata.managedFields`: `f:name` is a
 * field, `k:{…}` a list item by its keys, `v:…` an item by its value, and `.` stands for the place itself.
 */

import { isJsonObject, type JsonObject } from '../json.ts';

export interface FieldSet {
  readonly members: ReadonlySet<string>;
  readonly children: ReadonlyMap<string, FieldSet>;
}

export const emptySet: FieldSet = { members: new Set(), children: new Map() };

export class FieldSetBuilder {
  readonly #members = new Set<string>();
  readonly #children = new Map<string, FieldSetBuilder>();

  insert(path: readonly string[]): void {
    const [first, ...rest] = path;
    if (first === undefined) return;
    if (rest.length === 0) this.#members.add(first);
    else this.child(first).insert(rest);
  }

  child(element: string): FieldSetBuilder {
    const existing = this.#children.get(element);
    if (existing !== undefined) return existing;
    const created = new FieldSetBuilder();
    this.#children.set(element, created);
    return created;
  }

  build(): FieldSet {
    const children = new Map<string, FieldSet>();
    for (const [element, child] of this.#children) {
      const built = child.build();
      if (!isEmptySet(built)) children.set(element, built);
    }
    return { members: this.#members, children };
  }
}

export function isEmptySet({ members, children }: FieldSet): boolean {
  return members.size === 0 && children.size === 0;
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  const children = new Map(left.children);
  for (const [element, child] of right.children) {
    const mine = children.get(element);
    children.set(element, mine === undefined ? child : union(mine, child));
  }
  return { members: left.members.union(right.members), children };
}

export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return {
    members: left.members.difference(right.members),
    children: combine(left, (child, element) =>
      difference(child, right.children.get(element) ?? emptySet),
    ),
  };
}

/** Takes away also what lies below the members of `right`. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  return {
    members: left.members.difference(right.members),
    children: combine(left, (child, element) =>
      right.members.has(element)
        ? emptySet
        : recursiveDifference(child, right.children.get(element) ?? emptySet),
    ),
  };
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return {
    members: left.members.intersection(right.members),
    children: combine(left, (child, element) =>
      intersection(child, right.children.get(element) ?? emptySet),
    ),
  };
}

function combine(
  { children }: FieldSet,
  change: (child: FieldSet, element: string) => FieldSet,
): ReadonlyMap<string, FieldSet> {
  const result = new Map<string, FieldSet>();
  for (const [element, child] of children) {
    const changed = change(child, element);
    if (!isEmptySet(changed)) result.set(element, changed);
  }
  return result;
}

export function equalSets(left: FieldSet, right: FieldSet): boolean {
  return isEmptySet(difference(left, right)) && isEmptySet(difference(right, left));
}

export function encodeFieldSet({ members, children }: FieldSet): JsonObject {
  const encoded: JsonObject = {};
  for (const element of [...new Set([...members, ...children.keys()])].sort()) {
    const child = children.get(element);
    const inner = child === undefined ? {} : encodeFieldSet(child);
    const isBoth = child !== undefined && members.has(element);
    encoded[element] = isBoth ? { '.': {}, ...inner } : inner;
  }
  return encoded;
}

export function decodeFieldSet(encoded: JsonObject): FieldSet {
  const members = new Set<string>();
  const children = new Map<string, FieldSet>();
  for (const [element, inner] of Object.entries(encoded)) {
    if (element === '.' || !isJsonObject(inner)) continue;
    const names = Object.keys(inner);
    if (names.length === 0 || names.includes('.')) members.add(element);
    if (names.some((name) => name !== '.')) children.set(element, decodeFieldSet(inner));
  }
  return { members, children };
}

/** Paths of all members, in order, for messages: `.spec.ports[port=80,protocol="TCP"].name`. */
export function renderPaths(set: FieldSet, prefix = ''): readonly string[] {
  const own = [...set.members].map((element) => prefix + renderElement(element));
  const below = [...set.children].flatMap(([element, child]) =>
    renderPaths(child, prefix + renderElement(element)),
  );
  return [...own, ...below].sort();
}

function renderElement(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return `.${rest}`;
  if (element.startsWith('v:')) return `[=${rest}]`;
  if (element.startsWith('i:')) return `[${rest}]`;
  const keys = Object.entries(JSON.parse(rest) as JsonObject);
  return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
}
