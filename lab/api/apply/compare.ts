import { equalJson, type Json } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { childSchema, type Part, partsOf } from './structure.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Which places differ between two objects of one type. */
export function compareObjects(schema: Schema, left: Json, right: Json): Comparison {
  const walker = new Walker();
  walker.compare(schema, left, right, []);
  return {
    added: walker.added.build(),
    modified: walker.modified.build(),
    removed: walker.removed.build(),
  };
}

class Walker {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();

  compare(
    schema: Schema,
    left: Json | undefined,
    right: Json | undefined,
    path: readonly string[],
  ): void {
    // Parts that both sides share by reference need no look.
    if (left === right) return;
    const leftParts = partsOrNone(schema, left);
    const rightParts = partsOrNone(schema, right);
    this.#compareParts(schema, leftParts ?? [], rightParts ?? [], path);
    // A place with parts has not changed by itself, unless it came, went, or had none before.
    const isOneLeaf = leftParts === undefined || rightParts === undefined;
    const haveParts = !isOneLeaf && leftParts.length + rightParts.length > 0;
    const isOneMissing = left === undefined || right === undefined;
    if (!haveParts || isOneMissing) this.#compareLeaf(left, right, path);
  }

  #compareLeaf(left: Json | undefined, right: Json | undefined, path: readonly string[]): void {
    if (left === undefined) this.added.insert(path);
    else if (right === undefined) this.removed.insert(path);
    else if (!equalJson(left, right)) this.modified.insert(path);
  }

  #compareParts(
    schema: Schema,
    left: readonly Part[],
    right: readonly Part[],
    path: readonly string[],
  ): void {
    const leftByElement = new Map(left.map((part) => [part.element, part.value]));
    const rightByElement = new Map(right.map((part) => [part.element, part.value]));
    for (const element of new Set([...leftByElement.keys(), ...rightByElement.keys()])) {
      const [before, after] = [leftByElement.get(element), rightByElement.get(element)];
      this.compare(childSchema(schema, element), before, after, [...path, element]);
    }
  }
}

/** Null stands for an empty list or map as well as for an empty value. */
function partsOrNone(schema: Schema, value: Json | undefined): readonly Part[] | undefined {
  return value === undefined || value === null ? [] : partsOf(schema, value);
}
