/** Reads from Go source which fields a struct has, and whether each is a pointer and left out when empty. */

export interface GoField {
  /** As in JSON. */
  readonly name: string;
  readonly isPointer: boolean;
  readonly omitsEmpty: boolean;
  readonly omitsZero: boolean;
}

interface GoStruct {
  readonly fields: readonly GoField[];
  /** Names of structs whose fields are printed as if they were its own. */
  readonly inlined: readonly string[];
}

interface GoSource {
  /** Such as `core.v1`. */
  readonly prefix: string;
  readonly text: string;
}

export function readGoStructs(sources: readonly GoSource[]): Map<string, readonly GoField[]> {
  const structs = new Map<string, GoStruct>();
  for (const { prefix, text } of sources) {
    for (const match of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      structs.set(`${prefix}.${match[1]}`, readStruct(prefix, match[2] ?? ''));
    }
  }
  return new Map([...structs.keys()].map((name) => [name, flatten(structs, name)]));
}

function flatten(structs: ReadonlyMap<string, GoStruct>, name: string): readonly GoField[] {
  const struct = structs.get(name) ?? { fields: [], inlined: [] };
  return [...struct.fields, ...struct.inlined.flatMap((other) => flatten(structs, other))];
}

function readStruct(prefix: string, body: string): GoStruct {
  const fields: GoField[] = [];
  const inlined: string[] = [];
  for (const line of body.split('\n')) {
    const match = /^\t(?:(\w+) +)?(\S+) +`.*?json:"([^"]*)"/.exec(line);
    if (match === null || /^\t\/\//.test(line)) continue;
    const [, , type = '', tag = ''] = match;
    const [name = '', ...options] = tag.split(',');
    if (options.includes('inline')) inlined.push(qualify(prefix, type));
    else fields.push(readField(name, type, options));
  }
  return { fields, inlined };
}

function readField(name: string, type: string, options: readonly string[]): GoField {
  return {
    name,
    isPointer: type.startsWith('*'),
    omitsEmpty: options.includes('omitempty'),
    omitsZero: options.includes('omitzero'),
  };
}

function qualify(prefix: string, type: string): string {
  const bare = type.replace(/^\*/, '');
  const [left, right] = bare.split('.');
  if (right === undefined) return `${prefix}.${bare}`;
  return left === 'metav1' ? `meta.v1.${right}` : `core.v1.${right}`;
}
