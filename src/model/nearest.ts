/** What a misspelt word most likely means. */

// Longer words are no field, enum value or annotation of anyone's.
const longestWord = 64;

/** The candidate closest to the word, if one is close enough to be meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > longestWord) return undefined;
  const allowed = word.length <= 4 ? 1 : 2;
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance <= allowed && distance < (best?.distance ?? Infinity)) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}

/** Insertions, deletions and replacements that turn one word into the other (Levenshtein). */
function editDistance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...left].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...right].entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      const added = Math.min(above[column + 1] ?? 0, current[column] ?? 0) + 1;
      current.push(Math.min(replaced, added));
    }
    above = current;
  }
  return above.at(-1) ?? 0;
}
