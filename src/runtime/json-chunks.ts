/** A value as indented JSON, piece by piece, so that a long list never exists as one text. */

/** Small enough to be held for each reader, large enough that few writes carry a long list. */
const chunkLength = 16_384;

/** Lists and objects below this depth are written at once: a decision, a member. */
const deepestSplit = 2;

/**
 * The same text as `JSON.stringify(value, null, 2)`, with a line end after it. Bigints become strings. An iterable is
 * written as an array, and its items are asked for one by one as the text is read.
 */
export function* jsonChunks(value: unknown): Generator<string, void> {
  let chunk = '';
  for (const piece of piecesOf(value, 0)) {
    chunk += piece;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  yield `${chunk}\n`;
}

function* piecesOf(value: unknown, depth: number): Generator<string, void> {
  if (isIterable(value)) yield* list(value, depth);
  else if (depth < deepestSplit && isPlainObject(value)) yield* fields(value, depth);
  else yield leaf(value, depth);
}

function* list(items: Iterable<unknown>, depth: number): Generator<string, void> {
  let separator = '[';
  for (const item of items) {
    yield `${separator}${lineStart(depth + 1)}`;
    if (depth < deepestSplit) yield* piecesOf(item, depth + 1);
    else yield leaf(item, depth + 1);
    separator = ',';
  }
  yield separator === '[' ? '[]' : `${lineStart(depth)}]`;
}

function* fields(object: object, depth: number): Generator<string, void> {
  let separator = '{';
  for (const [name, value] of Object.entries(object)) {
    if (isLeftOut(value)) continue;
    yield `${separator}${lineStart(depth + 1)}${JSON.stringify(name)}: `;
    yield* piecesOf(value, depth + 1);
    separator = ',';
  }
  yield separator === '{' ? '{}' : `${lineStart(depth)}}`;
}

function leaf(value: unknown, depth: number): string {
  const text = JSON.stringify(value, bigIntsAsText, 2) ?? 'null';
  // A line end inside a JSON string is escaped, so that each one here belongs to the layout.
  return text.replaceAll('\n', lineStart(depth));
}

function lineStart(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}

function bigIntsAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
