/** Who had an address when, from changes as they came: how long two had it, and how often it moved. */

export interface HolderChange {
  /** In ms. */
  readonly at: number;
  readonly holders: readonly string[];
}

export interface HolderFigures {
  /** The longest time in a row with more than one. */
  readonly twoHoldersMs: number;
  /** How often it came to be somewhere else than before; a return to the same node is none. */
  readonly moves: number;
}

/**
 * From the first address that came to be on another node to the last one: how long it took to move them all. 0 if at
 * most one moved.
 */
export function judgeSpread(logs: ReadonlyMap<string, readonly HolderChange[]>): number {
  const taken = [...logs.values()].flatMap(([first, ...changes]) => {
    const news = changes.find(({ holders }) =>
      holders.some((node) => !first?.holders.includes(node)),
    );
    return news === undefined ? [] : [news.at];
  });
  return taken.length < 2 ? 0 : Math.max(...taken) - Math.min(...taken);
}

export function judgeHolders(changes: readonly HolderChange[], endedAt: number): HolderFigures {
  const spans = changes.map(({ at, holders }, index) => ({
    ms: (changes[index + 1]?.at ?? endedAt) - at,
    isDouble: holders.length > 1,
  }));
  let longest = 0;
  let current = 0;
  for (const { ms, isDouble } of spans) {
    current = isDouble ? current + ms : 0;
    longest = Math.max(longest, current);
  }
  return { twoHoldersMs: longest, moves: countMoves(changes) };
}

/** Of a time with two of them what counts is who is left. */
function countMoves(changes: readonly HolderChange[]): number {
  const alone = changes.flatMap(({ holders }) => (holders.length === 1 ? holders : []));
  return alone.filter((holder, index) => index > 0 && holder !== alone[index - 1]).length;
}
