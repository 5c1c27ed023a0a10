/** Turns anything at all into plain JSON data of bounded size, with secrets masked. Never throws. */

export type LogValue =
  | null
  | boolean
  | number
  | string
  | readonly LogValue[]
  | { readonly [name: string]: LogValue };

export interface LogValueOptions {
  /** Errors show where they were made. */
  readonly withStack: boolean;
  readonly isSecret: (name: string) => boolean;
}

interface Context extends LogValueOptions {
  /** Objects that contain the value at hand: meeting one of them again is a cycle. */
  readonly ancestors: readonly object[];
}

const longestString = 8_192;
const mostEntries = 100;
const deepest = 8;

/** Undefined fields are left out, as JSON does. */
export function toLogFields(
  fields: Readonly<Record<string, unknown>>,
  options: LogValueOptions,
): Record<string, LogValue> {
  const values = convertObject(fields, { ...options, ancestors: [] });
  return isRecord(values) ? values : { fields: values };
}

/** Whether a field's name ends with one of the words, however spelt: `bearer-token`, `apiToken`, `TOKEN`. */
export function secretMatcher(words: readonly string[]): (name: string) => boolean {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const endings = words.map(plain);
  return (name) => endings.some((ending) => plain(name).endsWith(ending));
}

function convert(value: unknown, context: Context): LogValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'object') return convertObject(value, context);
  if (typeof value === 'function') return `[function ${shorten(value.name, 200)}]`;
  return shorten(String(value));
}

function convertObject(value: object, context: Context): LogValue {
  if (context.ancestors.includes(value)) return '[circular]';
  if (context.ancestors.length > deepest) return '[too deep]';
  const inner = { ...context, ancestors: [...context.ancestors, value] };
  try {
    const known = convertKnown(value, inner);
    return known === undefined ? convertEntries(readEntries(value), inner) : known;
  } catch (error) {
    return unreadable(error);
  }
}

function convertKnown(value: object, context: Context): LogValue | undefined {
  if (value instanceof Error) return convertError(value, context);
  if (Array.isArray(value)) return convertList(value, context);
  if (value instanceof Set) return convertList([...value], context);
  if (value instanceof Map) return convertEntries([...value], context);
  if (value instanceof Uint8Array) return shorten(Buffer.from(value).toString('hex'));
  // Dates, URLs and others that know their own plain form.
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return convert(value.toJSON(), context);
  }
  return undefined;
}

/** Standard properties first; further own ones (`code`, `syscall`, `status` …) as they are. */
function convertError(error: Error, context: Context): LogValue {
  const { name, message, stack, cause } = error;
  const entries: [string, unknown][] = [
    ['name', name],
    ['message', message],
    ['code', 'code' in error && typeof error.code === 'string' ? error.code : undefined],
    ...readEntries(error).filter(([key]) => key !== 'name' && key !== 'message'),
    ['cause', cause],
    ['errors', error instanceof AggregateError ? error.errors : undefined],
    ['stack', context.withStack ? stack : undefined],
  ];
  return convertEntries(entries, context);
}

function convertList(values: readonly unknown[], context: Context): readonly LogValue[] {
  const items = values.slice(0, mostEntries).map((value) => convert(value, context));
  const more = values.length - items.length;
  return more > 0 ? [...items, `… ${more} more`] : items;
}

function convertEntries(
  entries: readonly (readonly [unknown, unknown])[],
  context: Context,
): Record<string, LogValue> {
  const result: Record<string, LogValue> = Object.create(null);
  for (const [key, value] of entries.slice(0, mostEntries)) {
    if (value === undefined) continue;
    const name = shorten(typeof key === 'string' ? key : String(convert(key, context)), 200);
    result[name] = context.isSecret(name) ? '[redacted]' : convert(value, context);
  }
  if (entries.length > mostEntries) result['…'] = `${entries.length - mostEntries} more`;
  return result;
}

/** A getter that throws spoils its own field only. */
function readEntries(value: object): [string, unknown][] {
  return Object.keys(value).map((key) => {
    try {
      return [key, Reflect.get(value, key)];
    } catch (error) {
      return [key, unreadable(error)];
    }
  });
}

function isRecord(value: LogValue): value is Record<string, LogValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(error: unknown): string {
  return `[unreadable: ${shorten(error instanceof Error ? error.message : typeof error, 200)}]`;
}

function shorten(text: string, limit = longestString): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}… ${text.length - limit} more`;
}
