/** What a parser of outside text returns: a value, or every problem found with where it was found. */
export type Parsed<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

export interface Problem {
  /** Field path such as `spec.local.pools[1].range`; empty when the whole input is meant. */
  readonly path: string;
  /** What is wrong and what to do, as a sentence without the path. */
  readonly message: string;
}

export function isProblem<T>(
  parsed: Parsed<T>,
): parsed is { readonly problems: readonly Problem[] } {
  return 'problems' in parsed;
}

export function problem(path: string, message: string): { problems: readonly Problem[] } {
  return { problems: [{ path, message }] };
}

/** Everything wrong with the parts of one whole, in their order. */
export function problemsOf(...parts: readonly Parsed<unknown>[]): readonly Problem[] {
  return parts.flatMap((part) => (isProblem(part) ? part.problems : []));
}

/** For text that must be right: constants, and values that were validated at the door. */
export function must<T>(parsed: Parsed<T>): T {
  if ('value' in parsed) return parsed.value;
  throw new TypeError(
    parsed.problems
      .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
      .join('; '),
  );
}
