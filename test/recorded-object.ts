/** Objects that remember which of their fields were asked for. */

import type { Field } from './crd-fields.ts';

export interface Recorded {
  readonly object: object;
  /** Paths of the fields, present or not, with `[]` for elements of lists. */
  readonly reads: ReadonlySet<string>;
}

export function recordReads(plain: object): Recorded {
  const reads = new Set<string>();
  return { object: wrap(plain, '', { reads, wrapped: new Map() }), reads };
}

interface Recording {
  readonly reads: Set<string>;
  /** Who asks twice gets the same object twice. */
  readonly wrapped: Map<object, object>;
}

function wrap(plain: object, path: string, record: Recording): object {
  const known = record.wrapped.get(plain);
  if (known !== undefined) return known;
  const pathOf = (name: PropertyKey) => (path === '' ? String(name) : `${path}.${String(name)}`);
  const below = (name: PropertyKey) => (Array.isArray(plain) ? `${path}[]` : pathOf(name));
  const note = (name: PropertyKey) => {
    // The key of the sample map is nobody's field.
    if (!Array.isArray(plain) && typeof name === 'string' && name !== sampleKey)
      record.reads.add(pathOf(name));
  };
  const wrapped = new Proxy(plain, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (Object.hasOwn(target, name)) note(name);
      return typeof value === 'object' && value !== null ? wrap(value, below(name), record) : value;
    },
    // Only a question about one name finds nothing: a look at all names asks for those that are there.
    getOwnPropertyDescriptor(target, name) {
      const found = Reflect.getOwnPropertyDescriptor(target, name);
      if (found === undefined) note(name);
      return found;
    },
  });
  record.wrapped.set(plain, wrapped);
  return wrapped;
}

const sampleKey = 'sample';

/** A value for each field, of the right type if nothing else; of the sources of a group only one, and lists of one. */
export function sampleSpec(fields: readonly Field[], source: string): Record<string, unknown> {
  const sources = ['local', 'remote', 'netbox', 'external', 'pool', 'subnet'];
  const left = sources.filter(
    (name) => name !== source && !(source === 'pool' && name === 'subnet'),
  );
  const tree: Record<string, unknown> = {};
  for (const { path, type } of fields) {
    const steps = path.replace(/^spec\./, '').split('.');
    if (source === '' || !left.includes((steps[0] ?? '').replace('[]', ''))) put(tree, steps, type);
  }
  return tree;
}

function put(tree: Record<string, unknown>, steps: readonly string[], type: string): void {
  const [step = '', ...rest] = steps;
  const name = step.replace('[]', '');
  if (rest.length === 0) {
    tree[name] = sampleOf(type);
    return;
  }
  const child = tree[name];
  const object: unknown = Array.isArray(child) ? child[0] : child;
  put(object as Record<string, unknown>, rest, type);
}

function sampleOf(type: string): unknown {
  const [kind = ''] = type.split(', ');
  if (kind.startsWith('list of ')) return [sampleOf(kind.slice('list of '.length))];
  if (kind.startsWith('map of ')) return { [sampleKey]: 'x' };
  if (kind === 'object') return {};
  if (kind === 'boolean') return true;
  return kind.startsWith('integer') ? 5 : (kind.split(' | ')[0] ?? 'x');
}
